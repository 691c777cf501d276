package dev.weir.gateway.config;

import dev.weir.admission.AdmissionLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.boot.env.OriginTrackedMapPropertySource;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.OriginTrackedValue;
import org.springframework.boot.origin.TextResourceOrigin;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.FileSystemResource;

/**
 * Limits in a YAML file of their own, read as the start reads them: the keys below {@code weir.admission}, or a whole
 * configuration of the gateway, of which the rest is passed over.
 */
public final class LimitsReader {

    private static final String PREFIX = "weir.admission";

    private final Path file;
    private final Map<String, Object> values = new LinkedHashMap<>();

    private LimitsReader(Path file) {
        this.file = file;
    }

    /**
     * Reads limits; what is not given has its default for this machine.
     *
     * @throws StartFailedException whose message names the file, and where it can the line and the key
     */
    public static AdmissionLimits read(Path file) {
        return read(file, Runtime.getRuntime().availableProcessors(), MachineMemory.bytes());
    }

    static AdmissionLimits read(Path file, int cores, long machineBytes) {
        LimitsReader limits = new LimitsReader(file);
        limits.load();
        try {
            return EffectiveLimits.of(limits.bind(), cores, machineBytes).admission();
        } catch (StartFailedException e) {
            throw new StartFailedException(limits.placed(String.valueOf(e.getMessage())), e);
        }
    }

    private void load() {
        if (!Files.isRegularFile(file)) {
            throw new StartFailedException(file + ": there is no such file");
        }
        Map<String, Object> all = new LinkedHashMap<>();
        try {
            for (PropertySource<?> source :
                    new YamlPropertySourceLoader().load("limits", new FileSystemResource(file))) {
                for (String name : ((EnumerablePropertySource<?>) source).getPropertyNames()) {
                    // The source's own map: it has the lines, too.
                    all.putIfAbsent(name, ((Map<?, ?>) source.getSource()).get(name));
                }
            }
        } catch (IOException | RuntimeException e) {
            throw new StartFailedException(file + ": cannot be read as YAML: " + firstLines(e), e);
        }
        boolean whole = all.keySet().stream().anyMatch(name -> name.startsWith("weir."));
        all.forEach((name, value) -> {
            if (!whole) {
                values.put(PREFIX + "." + name, value);
            } else if (name.startsWith(PREFIX + ".")) {
                values.put(name, value);
            }
        });
    }

    private static String firstLines(Exception e) {
        return String.join(
                " ",
                String.valueOf(e.getMessage())
                        .lines()
                        .map(String::strip)
                        .limit(6)
                        .toList());
    }

    private WeirProperties.Admission bind() {
        MutablePropertySources sources = new MutablePropertySources();
        sources.addFirst(new OriginTrackedMapPropertySource("limits", values, true));
        try {
            return new Binder(ConfigurationPropertySources.from(sources))
                    .bindOrCreate(
                            PREFIX,
                            Bindable.of(WeirProperties.Admission.class),
                            new NoUnboundElementsBindHandler(BindHandler.DEFAULT, new UnboundElementsSourceFilter()));
        } catch (BindException e) {
            throw StartFailures.explain(e);
        }
    }

    /** The message with the first line of a key that it names, if it names one of this file. */
    private String placed(String message) {
        OptionalInt line = values.keySet().stream()
                .filter(message::contains)
                .map(this::line)
                .filter(Objects::nonNull)
                .mapToInt(Integer::intValue)
                .min();
        return file + (line.isPresent() ? ":" + line.getAsInt() : "") + ": " + message;
    }

    private @Nullable Integer line(String name) {
        Origin origin = values.get(name) instanceof OriginTrackedValue value ? value.getOrigin() : null;
        return origin instanceof TextResourceOrigin text && text.getLocation() != null
                ? (Integer) (text.getLocation().getLine() + 1)
                : null;
    }
}
