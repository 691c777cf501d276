package dev.weir.gateway.config;

import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Spans of queries, sent over OTLP.
 *
 * @param endpoint where an OpenTelemetry collector takes traces over HTTP, as http://collector:4318/v1/traces; without it
 *     nothing is traced
 * @param sampling share of traces that are kept, 0 to 1; of traces that a client began, those that it says
 */
public record TracingProperties(
        @Nullable URI endpoint, @DefaultValue("1.0") double sampling) {}
