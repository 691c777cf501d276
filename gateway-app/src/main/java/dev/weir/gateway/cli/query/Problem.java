package dev.weir.gateway.cli.query;

import com.google.errorprone.annotations.Var;
import dev.weir.gateway.cli.table.TablePrinter;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

/**
 * A refusal of the gateway, as far as its answer tells.
 *
 * @param status HTTP status
 * @param body the problem document; missing when the answer was none
 * @param retryAfter seconds, or null
 */
record Problem(int status, JsonNode body, @Nullable String retryAfter) {

    private static final int MAX_BYTES = 1 << 20;
    private static final int CONTEXT_CHARS = 70;

    static Problem read(HttpResponse<InputStream> response, JsonMapper json) {
        @Var JsonNode body = MissingNode.getInstance();
        try (InputStream in = response.body()) {
            byte[] bytes = in.readNBytes(MAX_BYTES);
            if (bytes.length > 0) {
                body = json.readTree(bytes);
            }
        } catch (IOException | JacksonException e) {
            // Not a gateway's answer, or a broken one: the status says what is known.
        }
        return new Problem(
                response.statusCode(),
                body,
                response.headers().firstValue("Retry-After").orElse(null));
    }

    /** Code and message in a status document of a query that failed; null when it did not. */
    static @Nullable String ofStatus(JsonNode status) {
        JsonNode error = status.path("error");
        return error.isObject()
                ? error.path("code").asString("FAILED") + ": "
                        + error.path("detail").asString("")
                : null;
    }

    QueryFailure toFailure(String sql) {
        String code = body.path("code").asString("");
        if (code.isEmpty()) {
            return new QueryFailure("the answer was HTTP status " + status + ", not one of a Weir gateway");
        }
        StringBuilder text =
                new StringBuilder(code).append(": ").append(body.path("detail").asString(""));
        if (body.path("retryable").asBoolean(false)) {
            text.append(retryAfter == null ? "; try again later" : "; try again in " + retryAfter + " s");
        }
        String errorId = body.path("errorId").asString("");
        if (!errorId.isEmpty()) {
            text.append(" (error id ").append(errorId).append(')');
        }
        JsonNode position = body.path("sqlPosition");
        if (position.isIntegralNumber()) {
            text.append(caret(sql, position.asInt()));
        }
        return new QueryFailure(text.toString());
    }

    /** The line of the fault with a mark below it; nothing when the position is outside the text. */
    static String caret(String sql, int position) {
        if (position < 0 || position > sql.length()) {
            return "";
        }
        int lineStart = sql.lastIndexOf('\n', position - 1) + 1;
        int nextBreak = sql.indexOf('\n', position);
        int lineEnd = nextBreak < 0 ? sql.length() : nextBreak;
        int from = Math.max(lineStart, position - CONTEXT_CHARS);
        int to = Math.min(lineEnd, position + CONTEXT_CHARS);
        String prefix = from > lineStart ? "..." : "";
        String suffix = to < lineEnd ? "..." : "";
        String shown = sql.substring(from, to).replace('\t', ' ').stripTrailing();
        StringBuilder mark = new StringBuilder(" ".repeat(prefix.length()));
        sql.substring(from, position).codePoints().forEach(c -> mark.append(" ".repeat(TablePrinter.width(c))));
        return "\n  " + prefix + shown + suffix + "\n  " + mark + "^";
    }
}
