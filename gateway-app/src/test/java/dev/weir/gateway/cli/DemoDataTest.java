package dev.weir.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.gateway.config.StartFailedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.bootstrap.DefaultBootstrapContext;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

class DemoDataTest {

    private static final String DATABASE = "weir.engine.duckdb.database";

    @TempDir
    Path directory;

    private final DemoData demo = new DemoData(new TestCli().context(), false);

    private StandardEnvironment prepared(Map<String, Object> properties) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("test", properties));
        demo.onApplicationEvent(new ApplicationEnvironmentPreparedEvent(
                new DefaultBootstrapContext(), new SpringApplication(), new String[0], environment));
        return environment;
    }

    @Test
    void dataThatIsThereIsServed() throws Exception {
        Path file = Files.writeString(directory.resolve("demo.duckdb"), "made before");

        StandardEnvironment environment = prepared(Map.of("weir.data-dir", directory.toString()));

        assertThat(environment.getProperty(DATABASE)).isEqualTo(file.toString());
        assertThat(file).hasContent("made before");
    }

    @Test
    void anotherDatabaseWins() {
        StandardEnvironment environment =
                prepared(Map.of("weir.data-dir", directory.toString(), DATABASE, "/srv/other.duckdb"));

        assertThat(environment.getProperty(DATABASE)).isEqualTo("/srv/other.duckdb");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aDataDirectoryThatCannotBeMadeIsNamedByItsProperty() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "");

        assertThatThrownBy(() ->
                        prepared(Map.of("weir.data-dir", file.resolve("sub").toString())))
                .isInstanceOf(StartFailedException.class)
                .hasMessageStartingWith("weir.data-dir: ");
    }
}
