package dev.weir.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is told after an install. */
class NotesTest {

    static List<Path> values() {
        return Chart.examples();
    }

    @ParameterizedTest
    @MethodSource("values")
    void leadToServicesThatAreThere(Path values) {
        String notes = Chart.notes(values);
        Rendered rendered = Chart.render(values);
        Matcher forward = Pattern.compile("service/(\\S+) \\d+:(\\d+)").matcher(notes);
        int found = 0;
        while (forward.find()) {
            found++;
            assertThat(rendered.one(Service.class, forward.group(1)).getSpec().getPorts())
                    .singleElement()
                    .satisfies(port -> assertThat(port.getPort()).hasToString(forward.group(2)));
        }
        assertThat(found).isEqualTo(2);
        assertThat(notes).contains("hold for each gateway replica by itself");
    }

    @Test
    void tellWhereThePasswordIs() {
        Path laptop = Chart.DIRECTORY.resolve("examples/laptop.yaml");
        assertThat(Chart.notes(laptop)).contains("get secret weir-admin ").contains("curl -k ");
        assertThat(Chart.render(laptop).one(Secret.class, "weir-admin").getData())
                .containsKey("password");
    }

    @Test
    void tellWhatWorkersAndReplicasMean() {
        assertThat(Chart.notes(Chart.DIRECTORY.resolve("examples/workers.yaml")))
                .contains("holds for all gateways together")
                .contains("Asynchronous queries, sessions and prepared statements live on one replica");
        assertThat(Chart.notes(Chart.DIRECTORY.resolve("examples/mesh.yaml"))).contains("TLS is off");
        assertThat(Chart.notes(Chart.DIRECTORY.resolve("examples/files.yaml")))
                .contains("Each replica has made a certificate of its own");
    }
}
