package dev.weir.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.marcnuri.helm.LintResult;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.api.model.networking.v1.Ingress;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for the chart with every values file that is given as an example, and with none. */
class ChartTest {

    @TempDir
    Path directory;

    static Stream<Path> values() {
        return Stream.concat(Stream.of(Chart.DIRECTORY.resolve("values.yaml")), Chart.examples().stream());
    }

    @Test
    void thereAreExamplesOfEveryKind() {
        assertThat(values().count()).isGreaterThanOrEqualTo(12);
    }

    @ParameterizedTest
    @MethodSource("values")
    void isLintedStrictly(Path values) throws IOException {
        Path chart = Chart.copyTo(directory.resolve("weir"));
        Map<String, Object> merged =
                Chart.merged(Chart.values(), Chart.map(Chart.yaml().load(Chart.read(values))));
        Files.writeString(chart.resolve("values.yaml"), Chart.yaml().dump(merged));
        LintResult result = Chart.lint(chart);
        assertThat(result.isFailed()).as("%s", result.getMessages()).isFalse();
        assertThat(result.getMessages()).noneMatch(message -> message.contains("[ERROR]") || message.contains("[WARN"));
    }

    @ParameterizedTest
    @MethodSource("values")
    void servicesLeadToPorts(Path values) {
        Rendered rendered = Chart.render(values);
        assertThat(rendered.all(Service.class)).hasSizeGreaterThanOrEqualTo(3);
        for (Service service : rendered.all(Service.class)) {
            Workload workload = selected(rendered, service.getSpec().getSelector());
            for (ServicePort port : service.getSpec().getPorts()) {
                assertThat(workload.ports()).containsKey(port.getTargetPort().getStrVal());
            }
        }
        for (Ingress ingress : rendered.all(Ingress.class)) {
            var backend = ingress.getSpec()
                    .getRules()
                    .get(0)
                    .getHttp()
                    .getPaths()
                    .get(0)
                    .getBackend()
                    .getService();
            assertThat(rendered.one(Service.class, backend.getName()).getSpec().getPorts())
                    .extracting(ServicePort::getName)
                    .contains(backend.getPort().getName());
        }
    }

    @ParameterizedTest
    @MethodSource("values")
    void selectorsMatchPods(Path values) {
        Rendered rendered = Chart.render(values);
        for (Workload workload : rendered.workloads()) {
            assertThat(workload.isSelectedBy(workload.selector())).isTrue();
            assertThat(rendered.workloads().stream().filter(other -> other.isSelectedBy(workload.selector())))
                    .as("a selector takes the pods of one workload only")
                    .hasSize(1);
        }
        for (PodDisruptionBudget budget : rendered.all(PodDisruptionBudget.class)) {
            selected(rendered, budget.getSpec().getSelector().getMatchLabels());
        }
        for (NetworkPolicy policy : rendered.all(NetworkPolicy.class)) {
            Workload workload =
                    selected(rendered, policy.getSpec().getPodSelector().getMatchLabels());
            policy.getSpec().getIngress().stream()
                    .flatMap(rule -> rule.getPorts().stream())
                    .forEach(port -> assertThat(workload.ports())
                            .containsKey(port.getPort().getStrVal()));
        }
        for (HorizontalPodAutoscaler scaler : rendered.all(HorizontalPodAutoscaler.class)) {
            String target = scaler.getSpec().getScaleTargetRef().getName();
            assertThat(rendered.workloads())
                    .filteredOn(workload -> workload.name().equals(target))
                    .singleElement()
                    .satisfies(workload -> assertThat(workload.replicas()).isNull());
        }
    }

    @ParameterizedTest
    @MethodSource("values")
    void probesAskTheManagementPort(Path values) {
        Rendered rendered = Chart.render(values);
        for (Workload workload : rendered.workloads()) {
            ConfigOf config = ConfigOf.of(rendered, workload);
            assertThat(workload.ports())
                    .containsEntry(
                            "management", config.properties().management().port());
            assertThat(config.properties().management().address()).isEqualTo("0.0.0.0");
            boolean tls = !Boolean.FALSE.equals(config.properties().tls().enabled());
            checkProbe(workload.container().getStartupProbe(), "/livez", tls);
            checkProbe(workload.container().getLivenessProbe(), "/livez", tls);
            checkProbe(workload.container().getReadinessProbe(), "/readyz", tls);
        }
    }

    private static void checkProbe(Probe probe, String path, boolean tls) {
        assertThat(probe.getHttpGet().getPath()).isEqualTo(path);
        assertThat(probe.getHttpGet().getPort()).isEqualTo(new IntOrString("management"));
        assertThat(probe.getHttpGet().getScheme()).isEqualTo(tls ? "HTTPS" : "HTTP");
    }

    @ParameterizedTest
    @MethodSource("values")
    void podsAreRestricted(Path values) {
        for (Workload workload : Chart.render(values).workloads()) {
            PodSpec pod = workload.template().getSpec();
            assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
            assertThat(pod.getSecurityContext().getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
            assertThat(pod.getAutomountServiceAccountToken()).isFalse();
            assertThat(pod.getEnableServiceLinks())
                    .as("WEIR_HTTP_PORT of a service weir-http would be taken for the property weir.http.port")
                    .isFalse();
            SecurityContext container = workload.container().getSecurityContext();
            assertThat(container.getAllowPrivilegeEscalation()).isFalse();
            assertThat(container.getReadOnlyRootFilesystem()).isTrue();
            assertThat(container.getCapabilities().getDrop()).containsExactly("ALL");
            assertThat(container.getCapabilities().getAdd()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("values")
    void podsMayFinishTheirQueries(Path values) {
        Rendered rendered = Chart.render(values);
        for (Workload workload : rendered.workloads()) {
            long grace = ConfigOf.of(rendered, workload)
                    .properties()
                    .shutdown()
                    .grace()
                    .toSeconds();
            long sleep =
                    workload.container().getLifecycle().getPreStop().getSleep().getSeconds();
            assertThat(workload.template().getSpec().getTerminationGracePeriodSeconds())
                    .isGreaterThanOrEqualTo(grace + sleep + 30);
        }
    }

    @ParameterizedTest
    @MethodSource("values")
    void anUpdateLosesNoQueryWhereThereIsNoVolumeToOwn(Path values) {
        Rendered rendered = Chart.render(values);
        Deployment gateway = rendered.all(Deployment.class).get(0);
        Workload workload = rendered.workloads().get(0);
        boolean owns = workload.template().getSpec().getVolumes().stream()
                .anyMatch(volume -> volume.getPersistentVolumeClaim() != null
                        && !Boolean.TRUE.equals(
                                volume.getPersistentVolumeClaim().getReadOnly()));
        if (owns) {
            assertThat(gateway.getSpec().getStrategy().getType()).isEqualTo("Recreate");
            assertThat(gateway.getSpec().getReplicas()).isEqualTo(1);
            assertThat(rendered.all(HorizontalPodAutoscaler.class)).isEmpty();
        } else {
            assertThat(gateway.getSpec().getStrategy().getRollingUpdate().getMaxUnavailable())
                    .isEqualTo(new IntOrString(0));
            assertThat(gateway.getSpec().getStrategy().getRollingUpdate().getMaxSurge())
                    .isEqualTo(new IntOrString(1));
        }
    }

    @Test
    void workersTakeGatewaysOnly() {
        Rendered rendered = Chart.render(Chart.DIRECTORY.resolve("examples/workers.yaml"));
        NetworkPolicy policy = rendered.one(NetworkPolicy.class, "weir-worker");
        var queries = policy.getSpec().getIngress().get(0);
        assertThat(queries.getPorts())
                .extracting(port -> port.getPort().getStrVal())
                .containsExactly("worker");
        assertThat(queries.getFrom())
                .singleElement()
                .satisfies(peer -> assertThat(
                                selected(rendered, peer.getPodSelector().getMatchLabels())
                                        .name())
                        .isEqualTo("weir"));
    }

    @Test
    void aReaderOfManifestsFindsFaults() {
        Map<String, Object> service = Chart.map(Chart.yaml()
                .load("{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {sesionAffinity: ClientIP}}"));
        assertThatThrownBy(() -> Rendered.parse(service)).hasMessageContaining("sesionAffinity");
        Map<String, Object> number = Chart.map(Chart.yaml()
                .load("{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {replicas: many}}"));
        assertThatThrownBy(() -> Rendered.parse(number)).hasMessageContaining("replicas");
    }

    @Test
    void aDatabaseThatIsWrittenHasAProcessOfItsOwn() {
        Rendered rendered = Chart.render(Chart.DIRECTORY.resolve("examples/read-write.yaml"));
        var duckdb = ConfigOf.of(rendered, rendered.workloads().get(0))
                .properties()
                .engine()
                .duckdb();
        assertThat(duckdb.process().name()).isEqualTo("CHILD");
        assertThat(duckdb.access().name()).isEqualTo("READ_WRITE");
        assertThat(duckdb.maxTempSize().toGigabytes()).isEqualTo(99);
    }

    /** A fifth for the heap, a tenth for buffers, 256 MB for the child's heap, 192 MB for code and stacks. */
    @Test
    void aSmallOneLeavesRoomForItsChild() {
        Rendered rendered = Chart.render(Chart.DIRECTORY.resolve("examples/laptop.yaml"));
        var properties = ConfigOf.of(rendered, rendered.workloads().get(0)).properties();
        long all = 2048;
        assertThat(properties.admission().memory().budget().toMegabytes())
                .isBetween(
                        all / 4,
                        all
                                - all * 3 / 10
                                - properties.engine().duckdb().processHeap().toMegabytes()
                                - 192);
    }

    @Test
    void gatewaysKnowTheFilesOfTheirWorkers() {
        Rendered rendered = Chart.render(Chart.DIRECTORY.resolve("examples/files-on-workers.yaml"));
        List<Map<String, Path>> views = rendered.workloads().stream()
                .map(workload -> ConfigOf.of(rendered, workload)
                        .properties()
                        .engine()
                        .duckdb()
                        .parquetViews())
                .toList();
        assertThat(views).hasSize(2).containsOnly(Map.of("events", Path.of("/data/events")));
    }

    @Test
    void largeNumbersStayNumbers() {
        Rendered rendered = Chart.render(Chart.DIRECTORY.resolve("examples/everything.yaml"));
        assertThat(ConfigOf.of(rendered, rendered.workloads().get(0))
                        .properties()
                        .admission()
                        .maxQueued())
                .isEqualTo(1_000_000);
    }

    static Workload selected(Rendered rendered, Map<String, String> selector) {
        List<Workload> found = rendered.workloads().stream()
                .filter(workload -> workload.isSelectedBy(selector))
                .toList();
        assertThat(found).as("pods that %s selects", selector).hasSize(1);
        return found.get(0);
    }
}
