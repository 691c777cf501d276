package dev.weir.gateway.cli.query;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import java.util.Map;
import org.apache.arrow.flight.ErrorFlightMetadata;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** What a gateway tells of a failure over Flight SQL, in the words that it has over HTTP. */
final class FlightProblem {

    private static final String DETAILS = "grpc-status-details-bin";
    private static final String DOMAIN = "weir";

    private FlightProblem() {}

    static QueryFailure toFailure(FlightRuntimeException failure, String sql, Target target) {
        Problem problem = read(failure);
        if (problem != null) {
            return problem.toFailure(sql);
        }
        if (failure.status().code() == FlightStatusCode.UNAVAILABLE) {
            return new QueryFailure(Unreachable.text(target, failure), failure);
        }
        return new QueryFailure(
                "the answer was gRPC status " + failure.status().code() + ", not one of a Weir gateway", failure);
    }

    /** Code and message; null when the gateway did not tell. */
    static @Nullable String reason(FlightRuntimeException failure) {
        Problem problem = read(failure);
        return problem == null
                ? null
                : problem.body().path("code").asString("") + ": "
                        + problem.body().path("detail").asString("");
    }

    private static @Nullable Problem read(FlightRuntimeException failure) {
        ErrorFlightMetadata metadata = failure.status().metadata();
        byte[] bytes = metadata == null || !metadata.containsKey(DETAILS) ? null : metadata.getByte(DETAILS);
        if (bytes == null) {
            return null;
        }
        try {
            Status status = Status.parseFrom(bytes);
            ObjectNode body = JsonNodeFactory.instance.objectNode();
            String retryAfter = null;
            for (Any detail : status.getDetailsList()) {
                if (detail.is(ErrorInfo.class)) {
                    put(body, detail.unpack(ErrorInfo.class), status.getMessage());
                } else if (detail.is(RetryInfo.class)) {
                    long seconds =
                            detail.unpack(RetryInfo.class).getRetryDelay().getSeconds();
                    retryAfter = Long.toString(Math.max(1, seconds));
                }
            }
            return body.isEmpty() ? null : new Problem(0, body, retryAfter);
        } catch (InvalidProtocolBufferException e) {
            return null;
        }
    }

    private static void put(ObjectNode body, ErrorInfo info, String message) {
        if (!info.getDomain().equals(DOMAIN)) {
            return;
        }
        Map<String, String> more = info.getMetadataMap();
        body.put("code", info.getReason()).put("detail", message);
        body.put("retryable", Boolean.parseBoolean(more.get("retryable")));
        if (more.containsKey("errorId")) {
            body.put("errorId", more.get("errorId"));
        }
        if (more.containsKey("sqlPosition")) {
            body.put("sqlPosition", Integer.parseInt(more.get("sqlPosition")));
        }
    }
}
