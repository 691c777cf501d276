package dev.weir.chart;

import dev.weir.gateway.config.WeirProperties;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Volume;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ByteArrayResource;

/**
 * A workload's configuration file, read as the gateway reads it.
 *
 * @param properties what it says; a key that the gateway does not know is a fault
 */
record ConfigOf(WeirProperties properties) {

    private static final String FILE = "weir.yaml";

    static ConfigOf of(Rendered rendered, Workload workload) {
        String map = workload.template().getSpec().getVolumes().stream()
                .filter(volume -> volume.getName().equals("config"))
                .map(Volume::getConfigMap)
                .findFirst()
                .orElseThrow()
                .getName();
        String yaml = rendered.one(ConfigMap.class, map).getData().get(FILE);
        return new ConfigOf(bind(yaml));
    }

    private static WeirProperties bind(String yaml) {
        MutablePropertySources sources = new MutablePropertySources();
        try {
            new YamlPropertySourceLoader()
                    .load(FILE, new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))
                    .forEach(sources::addLast);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        StandardEnvironment environment = new StandardEnvironment() {
            @Override
            protected void customizePropertySources(MutablePropertySources own) {
                sources.forEach(own::addLast);
            }
        };
        return Binder.get(environment)
                .bindOrCreate(
                        "weir",
                        Bindable.of(WeirProperties.class),
                        new NoUnboundElementsBindHandler(BindHandler.DEFAULT));
    }
}
