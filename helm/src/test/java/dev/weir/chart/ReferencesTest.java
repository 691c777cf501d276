package dev.weir.chart;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.gateway.config.WeirProperties;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever a pod refers to is rendered, or given from outside; whatever its configuration names is mounted. */
class ReferencesTest {

    static Stream<Path> values() {
        return ChartTest.values();
    }

    @ParameterizedTest
    @MethodSource("values")
    void whatVolumesNeedIsThere(Path values) {
        Rendered rendered = Chart.render(values);
        String given = Chart.read(values);
        for (Workload workload : rendered.workloads()) {
            for (Volume volume : workload.template().getSpec().getVolumes()) {
                checkVolume(rendered, given, volume);
            }
            assertThat(rendered.has(
                            ServiceAccount.class, workload.template().getSpec().getServiceAccountName()))
                    .isTrue();
        }
    }

    private static void checkVolume(Rendered rendered, String given, Volume volume) {
        if (volume.getConfigMap() != null) {
            assertThat(rendered.has(ConfigMap.class, volume.getConfigMap().getName()))
                    .isTrue();
        }
        if (volume.getPersistentVolumeClaim() != null) {
            String claim = volume.getPersistentVolumeClaim().getClaimName();
            assertThat(rendered.has(PersistentVolumeClaim.class, claim) || isGiven(given, claim))
                    .as("claim %s", claim)
                    .isTrue();
        }
        if (volume.getSecret() != null) {
            assertThat(volume.getSecret().getDefaultMode() & 07)
                    .as("others may not read %s", volume.getName())
                    .isZero();
            for (KeyToPath item : volume.getSecret().getItems()) {
                checkSecret(rendered, given, volume.getSecret().getSecretName(), item.getKey());
            }
        }
    }

    private static void checkSecret(Rendered rendered, String given, String name, String key) {
        if (rendered.has(Secret.class, name)) {
            assertThat(rendered.one(Secret.class, name).getData()).containsKey(key);
            return;
        }
        boolean issued = rendered.all(CustomKinds.Certificate.class).stream()
                .anyMatch(certificate -> certificate.spec().secretName().equals(name));
        if (issued) {
            assertThat(key).isIn("ca.crt", "tls.crt", "tls.key");
            return;
        }
        assertThat(isGiven(given, name)).as("secret %s is made or given", name).isTrue();
    }

    private static boolean isGiven(String values, String name) {
        return values.contains(": " + name + "\n");
    }

    @ParameterizedTest
    @MethodSource("values")
    void secretsInTheEnvironmentAreThere(Path values) {
        Rendered rendered = Chart.render(values);
        for (Workload workload : rendered.workloads()) {
            workload.container().getEnv().stream()
                    .filter(variable -> variable.getValueFrom() != null)
                    .map(variable -> variable.getValueFrom().getSecretKeyRef())
                    .filter(Objects::nonNull)
                    .forEach(secret -> checkSecret(rendered, Chart.read(values), secret.getName(), secret.getKey()));
        }
    }

    @ParameterizedTest
    @MethodSource("values")
    void mountsHaveVolumesAndVolumesAreMounted(Path values) {
        for (Workload workload : Chart.render(values).workloads()) {
            List<String> volumes = workload.template().getSpec().getVolumes().stream()
                    .map(Volume::getName)
                    .toList();
            List<VolumeMount> mounts = workload.container().getVolumeMounts();
            assertThat(volumes).doesNotHaveDuplicates();
            assertThat(mounts).extracting(VolumeMount::getMountPath).doesNotHaveDuplicates();
            assertThat(mounts.stream().map(VolumeMount::getName).collect(Collectors.toSet()))
                    .isEqualTo(java.util.Set.copyOf(volumes));
        }
    }

    @ParameterizedTest
    @MethodSource("values")
    void filesOfTheConfigurationAreMounted(Path values) {
        Rendered rendered = Chart.render(values);
        for (Workload workload : rendered.workloads()) {
            WeirProperties properties = ConfigOf.of(rendered, workload).properties();
            for (Path file : files(properties)) {
                assertThat(isMounted(workload, file))
                        .as("%s of %s", file, workload.name())
                        .isTrue();
            }
        }
    }

    /** Files and directories that must be there before the start. */
    private static List<Path> files(WeirProperties properties) {
        WeirProperties.Engine.DuckDb duckdb = properties.engine().duckdb();
        List<Path> files = new ArrayList<>();
        Stream.of(
                        properties.dataDir(),
                        properties.auth().usersFile(),
                        properties.auth().tokenKeyFile(),
                        properties.tls().certificate(),
                        properties.tls().privateKey(),
                        properties.tls().clientCa(),
                        properties.cluster().secretFile(),
                        properties.cluster().tls().ca(),
                        duckdb.database())
                .flatMap(Stream::ofNullable)
                .forEach(files::add);
        // With workers the gateway only scans statements for them.
        if (properties.cluster().discovery().uri() == null) {
            files.addAll(duckdb.allowedDirectories());
            files.addAll(duckdb.parquetViews().values());
        }
        return files;
    }

    private static boolean isMounted(Workload workload, Path file) {
        Optional<VolumeMount> mount = workload.container().getVolumeMounts().stream()
                .filter(candidate -> file.startsWith(candidate.getMountPath()))
                .findFirst();
        if (mount.isEmpty()) {
            return false;
        }
        Volume volume = workload.template().getSpec().getVolumes().stream()
                .filter(candidate -> candidate.getName().equals(mount.get().getName()))
                .findFirst()
                .orElseThrow();
        if (volume.getSecret() == null) {
            return true;
        }
        String inVolume = Path.of(mount.get().getMountPath()).relativize(file).toString();
        return volume.getSecret().getItems().stream()
                .anyMatch(item -> item.getPath().equals(inVolume));
    }
}
