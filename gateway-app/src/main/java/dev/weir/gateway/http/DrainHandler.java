package dev.weir.gateway.http;

import dev.weir.auth.Identity;
import dev.weir.gateway.query.DrainControl;
import dev.weir.gateway.query.DrainReport;
import dev.weir.gateway.query.QuerySnapshot;
import java.util.function.Function;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import tools.jackson.core.JsonGenerator;

/** The calls that take the gateway out of service and back; they run outside the queue. */
final class DrainHandler {

    private final DrainControl drains;

    DrainHandler(DrainControl drains) {
        this.drains = drains;
    }

    RouterFunction<ServerResponse> route() {
        return new Resource(Addresses.DRAIN)
                .on(HttpMethod.GET, request -> answer(request, drains::report))
                .on(HttpMethod.HEAD, request -> answer(request, drains::report))
                .on(HttpMethod.POST, request -> answer(request, drains::drain))
                .on(HttpMethod.DELETE, request -> answer(request, drains::resume))
                .route();
    }

    private static Mono<ServerResponse> answer(ServerRequest request, Function<Identity, DrainReport> call) {
        return Caller.of(request).flatMap(identity -> {
            DrainReport report = call.apply(identity);
            return ServerResponse.ok()
                    .header("Cache-Control", "no-store")
                    .contentType(MediaType.APPLICATION_JSON)
                    .bodyValue(StatusJson.bytes(json -> write(json, report)));
        });
    }

    private static void write(JsonGenerator json, DrainReport report) {
        json.writeStartObject();
        json.writeStringProperty("state", state(report));
        StatusJson.millis(json, "graceLeftMs", report.graceLeft());
        json.writeArrayPropertyStart("queries");
        for (QuerySnapshot query : report.queries()) {
            StatusJson.write(json, query, null);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static String state(DrainReport report) {
        if (report.isDrained()) {
            return "DRAINED";
        }
        return report.draining() ? "DRAINING" : "SERVING";
    }
}
