package dev.weir.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The page of meters says what {@link WeirMeter} says. With {@code -Dweir.docs.write=true} its table is written anew. */
class MetricsDocsTest {

    private static final Path PAGE = Path.of("..", "docs", "metrics.md");
    private static final String BEGIN = "<!-- meters: held equal to the code by a test -->";
    private static final String END = "<!-- end of meters -->";

    @Test
    void everyMeterStandsInThePageWithItsLabelsAndMeaning() throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        int end = page.indexOf(END);
        assertThat(end).as("the markers").isGreaterThan(begin);
        String expected = "\n\n" + table() + "\n";
        if (Boolean.getBoolean("weir.docs.write")) {
            Files.writeString(PAGE, page.substring(0, begin) + expected + page.substring(end));
            return;
        }
        assertThat(page.substring(begin, end)).isEqualTo(expected);
    }

    private static String table() {
        StringBuilder table = new StringBuilder("| meter | kind | labels | meaning |\n|---|---|---|---|\n");
        for (WeirMeter meter : WeirMeter.values()) {
            table.append("| `")
                    .append(meter.prometheusName())
                    .append("` | ")
                    .append(meter.kind().name().toLowerCase(Locale.ROOT))
                    .append(" | ")
                    .append(meter.labels().stream()
                            .map(label -> "`" + label + "`")
                            .collect(Collectors.joining(", ")))
                    .append(" | ")
                    .append(meter.help())
                    .append(" |\n");
        }
        return table.toString();
    }

    @Test
    void namesAreUniqueAndKeepToTheRules() {
        Set<String> names = new HashSet<>();
        for (WeirMeter meter : WeirMeter.values()) {
            assertThat(meter.meterName()).matches("weir(\\.[a-z]+)+");
            assertThat(meter.unit()).isIn("", "seconds", "bytes");
            meter.series().forEach(name -> assertThat(names.add(name)).as(name).isTrue());
            // Prometheus keeps these for itself.
            assertThat(meter.meterName()).doesNotEndWith(".total").doesNotEndWith(".info");
        }
    }
}
