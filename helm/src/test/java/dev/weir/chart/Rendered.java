package dev.weir.chart;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.api.model.networking.v1.Ingress;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;

/** What the chart rendered, each document read strictly as what it says it is. */
final class Rendered {

    private static final Map<String, Class<?>> KINDS = Map.ofEntries(
            Map.entry("v1/ConfigMap", ConfigMap.class),
            Map.entry("v1/PersistentVolumeClaim", PersistentVolumeClaim.class),
            Map.entry("v1/Secret", Secret.class),
            Map.entry("v1/Service", Service.class),
            Map.entry("v1/ServiceAccount", ServiceAccount.class),
            Map.entry("apps/v1/Deployment", Deployment.class),
            Map.entry("apps/v1/StatefulSet", StatefulSet.class),
            Map.entry("autoscaling/v2/HorizontalPodAutoscaler", HorizontalPodAutoscaler.class),
            Map.entry("networking.k8s.io/v1/Ingress", Ingress.class),
            Map.entry("networking.k8s.io/v1/NetworkPolicy", NetworkPolicy.class),
            Map.entry("policy/v1/PodDisruptionBudget", PodDisruptionBudget.class),
            Map.entry("cert-manager.io/v1/Certificate", CustomKinds.Certificate.class),
            Map.entry("monitoring.coreos.com/v1/ServiceMonitor", CustomKinds.ServiceMonitor.class),
            Map.entry("monitoring.coreos.com/v1/PrometheusRule", CustomKinds.PrometheusRule.class));

    /** The models keep what they do not know in a map; here it is a fault. */
    private static final JsonMapper STRICT = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .annotationIntrospector(new JacksonAnnotationIntrospector() {
                private static final long serialVersionUID = 1L;

                @Override
                public Boolean hasAnySetter(Annotated annotated) {
                    return false;
                }
            })
            .build();

    private final List<Object> objects = new ArrayList<>();

    /** @throws IllegalArgumentException for an unknown kind, an unknown or wrong field, or a name given twice */
    Rendered(String yaml) {
        Set<String> names = new HashSet<>();
        for (Object document : Chart.yaml().loadAll(yaml)) {
            if (document == null) {
                continue;
            }
            Map<String, Object> map = Chart.map(document);
            Object read = parse(map);
            objects.add(read);
            String name = map.get("kind") + "/" + Chart.map(map.get("metadata")).get("name");
            if (!names.add(name)) {
                throw new IllegalArgumentException(name + " was rendered twice");
            }
        }
    }

    static Object parse(Map<String, Object> document) {
        Class<?> type = KINDS.get(document.get("apiVersion") + "/" + document.get("kind"));
        if (type == null) {
            throw new IllegalArgumentException(
                    "unknown kind " + document.get("apiVersion") + "/" + document.get("kind"));
        }
        return STRICT.convertValue(document, type);
    }

    List<Object> all() {
        return List.copyOf(objects);
    }

    <T> List<T> all(Class<T> type) {
        return objects.stream().filter(type::isInstance).map(type::cast).toList();
    }

    <T extends HasMetadata> boolean has(Class<T> type, String name) {
        return all(type).stream()
                .anyMatch(object -> object.getMetadata().getName().equals(name));
    }

    <T extends HasMetadata> T one(Class<T> type, String name) {
        return all(type).stream()
                .filter(object -> object.getMetadata().getName().equals(name))
                .findFirst()
                .orElseThrow(() -> new NoSuchElementException(type.getSimpleName() + " " + name));
    }

    /** Every workload that was rendered: gateways, and workers if there are any. */
    List<Workload> workloads() {
        List<Workload> found = new ArrayList<>();
        all(Deployment.class)
                .forEach(deployment -> found.add(new Workload(
                        deployment.getMetadata().getName(),
                        deployment.getSpec().getReplicas(),
                        deployment.getSpec().getSelector().getMatchLabels(),
                        deployment.getSpec().getTemplate())));
        all(StatefulSet.class)
                .forEach(set -> found.add(new Workload(
                        set.getMetadata().getName(),
                        set.getSpec().getReplicas(),
                        set.getSpec().getSelector().getMatchLabels(),
                        set.getSpec().getTemplate())));
        return found;
    }
}
