package dev.weir.chart;

import java.util.List;
import java.util.Map;

/** Kinds of operators, as far as the chart uses them. A field that is not here was not looked up in the operator's own API. */
final class CustomKinds {

    private CustomKinds() {}

    record Metadata(String name, String namespace, Map<String, String> labels, Map<String, String> annotations) {}

    record Certificate(String apiVersion, String kind, Metadata metadata, CertificateSpec spec) {}

    record CertificateSpec(
            String secretName,
            String duration,
            String renewBefore,
            PrivateKey privateKey,
            List<String> dnsNames,
            IssuerRef issuerRef) {}

    record PrivateKey(String algorithm, int size, String rotationPolicy) {}

    record IssuerRef(String name, String kind, String group) {}

    record ServiceMonitor(String apiVersion, String kind, Metadata metadata, ServiceMonitorSpec spec) {}

    record ServiceMonitorSpec(String jobLabel, Selector selector, List<Endpoint> endpoints) {}

    record Selector(Map<String, String> matchLabels) {}

    record Endpoint(
            String port,
            String path,
            String interval,
            String scheme,
            Map<String, Object> tlsConfig,
            BasicAuth basicAuth) {}

    record BasicAuth(SecretKey username, SecretKey password) {}

    record SecretKey(String name, String key) {}

    record PrometheusRule(String apiVersion, String kind, Metadata metadata, RuleSpec spec) {}

    record RuleSpec(List<Group> groups) {}

    record Group(String name, String interval, List<Rule> rules) {}

    /** One of {@code alert} and {@code record}. */
    record Rule(
            String alert,
            String record,
            String expr,
            String forTime,
            String keep_firing_for,
            Map<String, String> labels,
            Map<String, String> annotations) {

        @com.fasterxml.jackson.annotation.JsonCreator
        static Rule of(
                @com.fasterxml.jackson.annotation.JsonProperty("alert") String alert,
                @com.fasterxml.jackson.annotation.JsonProperty("record") String record,
                @com.fasterxml.jackson.annotation.JsonProperty("expr") String expr,
                @com.fasterxml.jackson.annotation.JsonProperty("for") String forTime,
                @com.fasterxml.jackson.annotation.JsonProperty("keep_firing_for") String keepFiringFor,
                @com.fasterxml.jackson.annotation.JsonProperty("labels") Map<String, String> labels,
                @com.fasterxml.jackson.annotation.JsonProperty("annotations") Map<String, String> annotations) {
            return new Rule(alert, record, expr, forTime, keepFiringFor, labels, annotations);
        }
    }
}
