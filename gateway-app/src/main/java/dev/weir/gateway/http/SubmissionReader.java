package dev.weir.gateway.http;

import static dev.weir.gateway.http.Options.invalid;

import dev.weir.admission.Priority;
import dev.weir.engine.SessionSettings;
import dev.weir.gateway.query.Front;
import dev.weir.gateway.query.QueryRequest;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads a request to run a statement. By its content type the body is a JSON object, or else the statement itself as
 * UTF-8. Strict: an unknown key or a value of a wrong type is refused by name.
 */
final class SubmissionReader {

    private static final String KEYS =
            "sql, parameters, wait, timeout, queueTimeout, rowLimit, memory, class, priority, tags, partitions";

    /** How Jackson's message of a duplicate key begins; there is no exception class of its own. */
    private static final String DUPLICATE = "Duplicate Object property";

    private final JsonMapper mapper = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.USE_BIG_INTEGER_FOR_INTS)
            .build();

    Submission read(HttpHeaders headers, byte[] body) {
        Options options = Options.ofHeaders(headers);
        String sql;
        List<? extends @Nullable Object> parameters = List.of();
        if (isJson(headers)) {
            JsonNode root = parse(body);
            options = options(root).and(options);
            sql = sql(root);
            parameters = parameters(root);
        } else {
            sql = utf8(body);
        }
        if (sql.isBlank()) {
            throw invalid("The request has no statement; send one as the body, or as \"sql\" in a JSON body.");
        }
        QueryRequest request = new QueryRequest(
                Front.HTTP,
                sql,
                parameters.isEmpty() ? List.of() : List.of(parameters),
                SessionSettings.NONE,
                Optional.ofNullable(options.timeout()),
                Optional.ofNullable(options.queueTimeout()),
                options.memory() == null ? OptionalLong.empty() : OptionalLong.of(options.memory()),
                options.priority() == null ? Priority.NORMAL : options.priority(),
                Boolean.TRUE.equals(options.heavy()),
                tags(options, headers));
        long rowLimit = options.rowLimit() == null ? Long.MAX_VALUE : options.rowLimit();
        int partitions = options.partitions() == null ? 1 : options.partitions();
        if (partitions > 1 && rowLimit != Long.MAX_VALUE) {
            throw invalid("\"rowLimit\" and \"partitions\" exclude each other; put LIMIT into the statement.");
        }
        return new Submission(request, options.waitTime(), rowLimit, partitions);
    }

    /** The tags, and the caller's trace where it tells one. */
    static Map<String, String> tags(Options options, HttpHeaders headers) {
        Map<String, String> given = options.tags() == null ? Map.of() : options.tags();
        String trace = headers.getFirst(QueryRequest.TRACE_PARENT);
        if (!QueryRequest.isTraceParent(trace) || given.containsKey(QueryRequest.TRACE_PARENT)) {
            return given;
        }
        Map<String, String> all = new LinkedHashMap<>(given);
        all.put(QueryRequest.TRACE_PARENT, trace);
        return all;
    }

    private static boolean isJson(HttpHeaders headers) {
        try {
            MediaType type = headers.getContentType();
            return type != null
                    && (type.getSubtype().equals("json") || type.getSubtype().endsWith("+json"));
        } catch (InvalidMediaTypeException e) {
            throw invalid("The Content-Type header is malformed.");
        }
    }

    private static String utf8(byte[] body) {
        int start =
                body.length >= 3 && body[0] == (byte) 0xEF && body[1] == (byte) 0xBB && body[2] == (byte) 0xBF ? 3 : 0;
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(body, start, body.length - start))
                    .toString();
        } catch (CharacterCodingException e) {
            throw invalid("The statement is not valid UTF-8.");
        }
    }

    private JsonNode parse(byte[] body) {
        JsonNode root;
        try {
            root = mapper.readTree(body);
        } catch (JacksonException e) {
            if (e.getOriginalMessage().startsWith(DUPLICATE) && e.processor() instanceof JsonParser parser) {
                throw invalid("The JSON body has the key \"" + shown(String.valueOf(parser.currentName()))
                        + "\" twice in one object.");
            }
            // Jackson's own message would show a part of the body.
            TokenStreamLocation at = e.getLocation();
            String place = at == null || at.getLineNr() < 1
                    ? ""
                    : " at line " + at.getLineNr() + ", column " + at.getColumnNr();
            throw invalid(
                    "The body is not one valid JSON object; it breaks" + (place.isEmpty() ? " off." : place + "."));
        }
        if (root == null || !root.isObject()) {
            throw invalid("A JSON body must be an object with the key \"sql\".");
        }
        return root;
    }

    private static String sql(JsonNode root) {
        JsonNode sql = root.get("sql");
        if (sql == null) {
            throw invalid("The JSON body must have the key \"sql\".");
        }
        return text("sql", sql);
    }

    private static List<? extends @Nullable Object> parameters(JsonNode root) {
        JsonNode parameters = root.get("parameters");
        if (parameters == null || parameters.isNull()) {
            return List.of();
        }
        if (!parameters.isArray()) {
            throw invalid("\"parameters\" must be an array with one value for each ? of the statement.");
        }
        return ParameterReader.values(parameters);
    }

    private static Options options(JsonNode root) {
        Duration wait = null;
        Duration timeout = null;
        Duration queueTimeout = null;
        Long rowLimit = null;
        Long memory = null;
        Boolean heavy = null;
        Priority priority = null;
        Map<String, String> tags = null;
        Integer partitions = null;
        for (Map.Entry<String, JsonNode> entry : root.properties()) {
            String key = entry.getKey();
            JsonNode value = entry.getValue();
            if (key.equals("sql") || value.isNull()) {
                known(key);
                continue;
            }
            switch (key) {
                case "parameters" -> {
                    // Read with the statement.
                }
                case "wait" -> wait = duration(key, value);
                case "timeout" -> timeout = Options.positive(key, duration(key, value));
                case "queueTimeout" -> queueTimeout = Options.positive(key, duration(key, value));
                case "rowLimit" -> rowLimit = rowLimit(value);
                case "memory" -> memory = Options.memory(key, text(key, value));
                case "class" -> heavy = Options.heavy(key, text(key, value));
                case "priority" -> priority = Options.priority(key, text(key, value));
                case "tags" -> tags = tags(value);
                case "partitions" -> partitions = partitions(key, value);
                default -> throw unknown(key);
            }
        }
        return new Options(wait, timeout, queueTimeout, rowLimit, memory, heavy, priority, tags, partitions);
    }

    private static void known(String key) {
        if (!List.of(KEYS.split(", ", -1)).contains(key)) {
            throw unknown(key);
        }
    }

    private static String shown(String key) {
        return key.length() > 64 ? key.substring(0, 64) + "..." : key;
    }

    private static RuntimeException unknown(String key) {
        return invalid("The JSON body has the unknown key \"" + shown(key) + "\"; known are " + KEYS + ".");
    }

    private static String text(String key, JsonNode value) {
        if (!value.isString()) {
            throw invalid("\"" + key + "\" must be a string.");
        }
        return value.stringValue();
    }

    private static Duration duration(String key, JsonNode value) {
        if (value.isIntegralNumber() && value.bigIntegerValue().signum() == 0) {
            return Duration.ZERO;
        }
        if (!value.isString()) {
            throw invalid("\"" + key + "\" must be a duration as a string with unit, such as \"30s\" or \"PT30S\".");
        }
        return Options.duration(key, value.stringValue());
    }

    private static long rowLimit(JsonNode value) {
        if (!value.isIntegralNumber() || !value.canConvertToLong() || value.longValue() < 0) {
            throw invalid("\"rowLimit\" must be a whole number of rows, 0 or more.");
        }
        return value.longValue();
    }

    private static int partitions(String key, JsonNode value) {
        if (!value.isIntegralNumber() || !value.canConvertToInt()) {
            throw invalid("\"partitions\" must be a whole number, 1 or more.");
        }
        return Options.partitions(key, value.intValue());
    }

    private static Map<String, String> tags(JsonNode value) {
        if (!value.isObject()) {
            throw invalid("\"tags\" must be an object of strings.");
        }
        Map<String, String> tags = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> entry : value.properties()) {
            if (!entry.getValue().isString()) {
                throw invalid("\"tags\" must be an object of strings.");
            }
            tags.put(entry.getKey(), entry.getValue().stringValue());
        }
        return Options.tags(tags);
    }
}
