package dev.weir.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.gateway.config.HttpFrontConfiguration;
import dev.weir.gateway.config.WeirProperties;
import dev.weir.gateway.query.DrainControl;
import dev.weir.gateway.query.QueryService;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.server.WebExceptionHandler;

/** The beans that the gateway gets from this front. */
class HttpFrontWiringTest {

    @Test
    void theConfigurationGivesRoutesAndTheLookOfFailures(@TempDir Path data) {
        WeirProperties properties = new Binder(
                        new MapConfigurationPropertySource(Map.of("weir.data-dir", data.toString())))
                .bindOrCreate("weir", WeirProperties.class);
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.registerBean(WeirProperties.class, () -> properties);
            context.registerBean(QueryService.class, FakeQueryService::new);
            context.registerBean(DrainControl.class, FakeDrains::new);
            context.register(HttpFrontConfiguration.class);
            context.refresh();

            assertThat(context.getBean(RouterFunction.class)).isNotNull();
            assertThat(context.getBean(WebExceptionHandler.class)).isInstanceOf(Problems.class);
            assertThat(context.getBean(HttpFront.class).authenticationEntryPoint())
                    .isNotNull();
            assertThat(context.getBean(HttpFront.class).accessDeniedHandler()).isNotNull();
            assertThat(Files.isDirectory(data.resolve("results"))).isTrue();
        }
    }
}
