package dev.weir.chart;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What runs pods.
 *
 * @param replicas null where an autoscaler says
 */
record Workload(String name, Integer replicas, Map<String, String> selector, PodTemplateSpec template) {

    Container container() {
        return template.getSpec().getContainers().get(0);
    }

    Map<String, String> labels() {
        return template.getMetadata().getLabels();
    }

    Map<String, Integer> ports() {
        return container().getPorts().stream()
                .collect(Collectors.toMap(ContainerPort::getName, ContainerPort::getContainerPort));
    }

    boolean isSelectedBy(Map<String, String> wanted) {
        return labels().entrySet().containsAll(wanted.entrySet());
    }
}
