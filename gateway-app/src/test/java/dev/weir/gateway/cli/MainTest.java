package dev.weir.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {

    private final TestCli cli = new TestCli();

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "serve",
                "query",
                "user",
                "user add",
                "user passwd",
                "user remove",
                "user list",
                "secret",
                "tpch",
                "simulate"
            })
    void everyCommandHasHelpOnStandardOutput(String command) {
        String[] args = (command + " --help").strip().split(" ");

        assertThat(cli.run(args)).isZero();
        assertThat(cli.out()).startsWith("Usage: weir" + (command.isEmpty() ? "" : " " + command));
        assertThat(cli.out().lines()).allMatch(line -> line.length() <= 100);
        assertThat(cli.err()).isEmpty();
    }

    @Test
    void theVersionIsOneLine() {
        assertThat(cli.run("--version")).isZero();
        assertThat(cli.out()).startsWith("weir ").contains("Java").hasLineCount(1);
    }

    @Test
    void withoutACommandTheUserIsToldWhichThereAre() {
        assertThat(cli.run()).isEqualTo(2);
        assertThat(cli.err())
                .hasLineCount(1)
                .contains("serve, worker, query, health, drain, user, secret, tpch or simulate");
    }

    @Test
    void anUnknownCommandIsAUsageError() {
        assertThat(cli.run("sreve")).isEqualTo(2);
        assertThat(cli.err())
                .hasLineCount(1)
                .startsWith("weir: ")
                .contains("sreve")
                .contains("serve");
    }

    @Test
    void propertiesAreHandedOnAsTheyAre() {
        int code = cli.run(
                "serve",
                "--weir.http.port=18080",
                "--logging.level.dev.weir=debug",
                "--server.netty.idle-timeout=1s",
                "--spring.main.banner-mode=off",
                "--management.tracing.enabled=false",
                "--weir.engine.duckdb.parquet-views.sales=/data/a=b",
                "--weir.engine.duckdb.init-sql[0]=set x = 1");

        assertThat(code).isZero();
        assertThat(cli.starts).hasSize(1);
        assertThat(cli.starts.get(0).propertyArguments())
                .containsExactly(
                        "--weir.http.port=18080",
                        "--logging.level.dev.weir=debug",
                        "--server.netty.idle-timeout=1s",
                        "--spring.main.banner-mode=off",
                        "--management.tracing.enabled=false",
                        "--weir.engine.duckdb.parquet-views.sales=/data/a=b",
                        "--weir.engine.duckdb.init-sql[0]=set x = 1");
        assertThat(cli.starts.get(0).listeners()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--dmo | unknown option '--dmo'; did you mean --demo?",
                "--http.port=1 | unknown option '--http.port'; did you mean --weir.http.port?",
                "--wier.http.port=1 | unknown option '--wier.http.port'; did you mean --weir.http.port?",
                "--completely-else | unknown option '--completely-else' (",
                "--weir.http.port | --weir.http.port needs a value: --weir.http.port=VALUE",
                "--weir=1 | unknown option '--weir'",
                "weir.http.port=1 | did you mean --weir.http.port=1?",
                "something | unexpected argument 'something'",
                "-q | unexpected argument '-q'",
            })
    void aWrongArgumentOfServeStopsWithOneLine(String argument, String message) {
        assertThat(cli.run("serve", argument)).isEqualTo(2);
        assertThat(cli.err()).hasLineCount(1).startsWith("weir serve: ").contains(message);
        assertThat(cli.starts).isEmpty();
    }

    @Test
    void demoRegistersItsListener() {
        assertThat(cli.run("serve", "--demo")).isZero();
        assertThat(cli.starts.get(0).listeners()).singleElement().isInstanceOf(DemoData.class);
    }

    @Test
    void configurationFilesBecomeAdditionalLocations() throws IOException {
        Path first = Files.writeString(directory.resolve("a.yaml"), "weir:\n");
        Path second = Files.writeString(directory.resolve("b b.yaml"), "weir:\n");

        assertThat(cli.run("serve", "--config", first.toString(), "--config=" + second))
                .isZero();
        assertThat(cli.starts.get(0).propertyArguments())
                .containsExactly("--spring.config.additional-location=" + first.toUri() + "," + second.toUri());
    }

    @Test
    void aConfigurationFileThatCannotBeReadIsAUsageError() {
        assertThat(cli.run("serve", "--config", directory.resolve("none.yaml").toString()))
                .isEqualTo(2);
        assertThat(cli.err()).hasLineCount(1).contains("--config: cannot read the file");
    }

    @Test
    void theResultOfTheStartIsTheExitCode() {
        cli.startResult = 1;
        assertThat(cli.run("serve")).isEqualTo(1);
    }

    @Test
    void anUnexpectedFailureIsOneLineUnlessVerbose() {
        GatewayStarter broken = request -> {
            throw new IllegalStateException("boom");
        };

        assertThat(Main.run(cli.context(), broken, "serve")).isEqualTo(1);
        assertThat(cli.err()).hasLineCount(1).contains("boom").contains("--verbose");

        assertThat(Main.run(cli.context(), broken, "serve", "-X")).isEqualTo(1);
        assertThat(cli.err()).contains("\tat ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "0.001", "101", "-1"})
    void aScaleOutsideItsRangeIsAUsageError(String scale) {
        assertThat(cli.run(
                        "tpch", "--sf=" + scale, "--out", directory.resolve("x").toString()))
                .isEqualTo(2);
        assertThat(cli.err()).hasLineCount(1).contains("--sf must be from 0.01 to 100");
    }

    @Test
    void aScaleThatIsNoNumberIsAUsageError() {
        assertThat(cli.run("tpch", "--sf=big", "--out=x")).isEqualTo(2);
        assertThat(cli.err()).hasLineCount(1).contains("--sf").contains("big");
    }
}
