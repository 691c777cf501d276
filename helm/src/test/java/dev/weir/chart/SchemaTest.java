package dev.weir.chart;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Wrong values are refused, and the refusal names the value. */
class SchemaTest {

    private static final String WRITTEN = "database: {access: read-write}";

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // What is no value at all, or of the wrong type.
                "replicas: 3 | replicas",
                "gateway: {replica: 3} | replica",
                "gateway: {replicas: many} | gateway.replicas",
                "gateway: {replicas: 0} | gateway.replicas",
                "image: {pullPolicy: Sometimes} | image.pullPolicy",
                "image: {digest: latest} | image.digest",
                "image: {repository: ''} | image.repository",
                "database: {access: append} | database.access",
                "database: {file: ../x.duckdb} | database.file",
                "database: {size: 10GB} | database.size",
                "temp: {size: 500000} | temp.size",
                "temp: {size: 1Gi} | temp.size",
                "state: {size: lots} | state.size",
                "shutdown: {graceSeconds: 1m} | shutdown.graceSeconds",
                "shutdown: {graceSeconds: 0} | shutdown.graceSeconds",
                "service: {http: {type: ExternalName}} | service.http.type",
                "service: {flight: {port: 70000}} | service.flight.port",
                "service: {affinity: {timeoutSeconds: 100000}} | service.affinity.timeoutSeconds",
                "gateway: {podDisruptionBudget: {maxUnavailable: 0}} | gateway.podDisruptionBudget.maxUnavailable",
                "gateway: {podLabels: {a: 1}} | gateway.podLabels",
                "gateway: {extraVolumeMounts: [{name: a}]} | gateway.extraVolumeMounts",
                "gateway: {resources: {limit: {}}} | limit",
                "database: {access: read-write}, gateway: {resources: {limits: {memory: 1Gi}}} | resources.limits.memory",
                "workers: {memory: 6Gi} | workers.memory",
                "workers: {slots: 0} | workers.slots",
                "security: {runAsUser: 0} | security.runAsUser",
                "probes: {liveness: {failureThreshold: 0}} | probes.liveness.failureThreshold",
                "ingress: {http: {host: 'https://a'}} | ingress.http.host",
                "users: {existingSecret: Not_A_Name} | users.existingSecret",
                "data: [{name: Events, existingClaim: a}] | data.0.name",
                "data: [{name: events}] | data.0",
                "data: [{name: events, existingClaim: a, volume: {emptyDir: {}}}] | data.0",
                "data: [{name: a, existingClaim: one}, {name: a, existingClaim: two}] | a twice",
                // What belongs to the chart, or is no property.
                "config: {weir.shutdown.grace: 5s} | weir.shutdown.grace",
                "config: {weir.engine.duckdb.process: gateway} | weir.engine.duckdb.process",
                "config: {'weir.workers[0].uri': 'grpc://a:1'} | weir.workers",
                "config: {weir: {http: {port: 1}}} | config",
                "config: {server.port: 1} | server.port",
                // What needs something else.
                "tls: {source: secret} | tls.existingSecret",
                "tls: {source: cert-manager} | tls.certManager.issuerRef",
                "workers: {tls: {source: secret}} | workers.tls.existingSecret",
                "ingress: {flight: {enabled: true}} | ingress.flight.host",
                "monitoring: {serviceMonitor: {enabled: true}} | monitoring.serviceMonitor.basicAuthSecret",
                "database: {access: read-only} | database.existingClaim",
                "gateway: {replicas: 2} | users.existingSecret",
                "gateway: {autoscaling: {enabled: true}} | users.existingSecret",
                "database: {isolation: process} | data",
                "gateway: {terminationGracePeriodSeconds: 60} | gateway.terminationGracePeriodSeconds",
                "shutdown: {graceSeconds: 600}, gateway: {terminationGracePeriodSeconds: 300} | shutdown.graceSeconds",
                "workers: {enabled: true, terminationGracePeriodSeconds: 9} | workers.terminationGracePeriodSeconds",
                "workers: {autoscaling: {enabled: true, minReplicas: 7}} | workers.autoscaling.minReplicas",
                "state: {persistence: {enabled: true}}, users: {existingSecret: a}, gateway: {replicas: 2} | gateway.replicas"
            })
    void isRefused(String values, String named) {
        assertThatThrownBy(() -> render("{" + values + "}")).satisfies(thrown -> names(thrown, named));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gateway: {replicas: 2} | gateway.replicas",
                "gateway: {autoscaling: {enabled: true}} | gateway.autoscaling.enabled",
                "gateway: {strategy: {type: RollingUpdate}} | gateway.strategy.type",
                "workers: {enabled: true, replicas: 2} | workers.replicas",
                "workers: {enabled: true, replicas: 1, autoscaling: {enabled: true}} | workers.autoscaling.enabled"
            })
    void aDatabaseThatIsWrittenHasOneOwner(String values, String named) {
        String users = "users: {existingSecret: weir-users}";
        assertThatThrownBy(() -> render("{" + WRITTEN + ", " + users + ", " + values + "}"))
                .satisfies(thrown -> names(thrown, named));
        assertThatCode(() -> render("{database: {access: read-only, existingClaim: a}, " + users + ", " + values + "}"))
                .as("the same on a database that is read")
                .doesNotThrowAnyException();
    }

    @Test
    void aDatabaseThatIsWrittenHasNoProcessForEachQuery() {
        assertThatThrownBy(() -> render("database: {access: read-write, isolation: process}"))
                .satisfies(thrown -> names(thrown, "database.isolation"));
        assertThatThrownBy(() -> render("database: {access: read-write, accessModes: [ReadOnlyMany]}"))
                .satisfies(thrown -> names(thrown, "database.accessModes"));
    }

    /** The schema's own messages have the path with slashes. */
    private static void names(Throwable thrown, String value) {
        String message = String.valueOf(thrown.getMessage());
        if (!message.contains(value) && !message.contains("/" + value.replace('.', '/'))) {
            throw new AssertionError("the message names no " + value + ": " + message);
        }
    }

    private Rendered render(String values) throws IOException {
        return new Rendered(Chart.text(Chart.DIRECTORY, Files.writeString(directory.resolve("values.yaml"), values)));
    }
}
