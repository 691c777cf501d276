package dev.weir.gateway.cli.simulate;

import dev.weir.admission.AdmissionLimits;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads the gateway's query log: JSON lines, each possibly behind a prefix of the logger's. Lines of other loggers among
 * them are passed over.
 *
 * <p>The log knows no run time of queries that never ran. Those that admission refused or that were given up while they
 * waited get the mean of their statement, else of their user, else of all; those that never came to admission are left
 * out. Time that a query was paused is no part of its run time: it had lent its slot.
 */
final class QueryLogReader {

    private static final Pattern START = Pattern.compile("\\{\\s*\"queryId\"\\s*:");

    private static final Set<String> REFUSED_BY_ADMISSION =
            Set.of("QUEUE_FULL", "USER_LIMIT", "RATE_LIMITED", "QUEUE_TIMEOUT", "DRAINING");

    private record Line(
            Instant submitted, String user, String group, long fingerprint, long bytes, long runNanos, boolean heavy) {}

    private final String file;
    private final JsonMapper json = new JsonMapper();
    private final List<Line> lines = new ArrayList<>();
    private final Map<String, long[]> sums = new HashMap<>();
    private int number;
    private int leftOut;

    private QueryLogReader(String file) {
        this.file = file;
    }

    /** Whether a line is one of a query log. */
    static boolean isQueryLog(String line) {
        return START.matcher(line).find();
    }

    static LogTrace read(String file, Stream<String> text) {
        QueryLogReader reader = new QueryLogReader(file);
        text.forEachOrdered(reader::line);
        return reader.trace();
    }

    private void line(String text) {
        number++;
        Matcher start = START.matcher(text);
        if (!start.find()) {
            return;
        }
        JsonNode query;
        try {
            query = json.readTree(text.substring(start.start()));
        } catch (JacksonException e) {
            throw new TraceException(file + ":" + number + ": is no valid JSON: " + e.getOriginalMessage(), e);
        }
        long runNanos = runNanos(query);
        if (runNanos == 0 && !wantedToRun(query)) {
            leftOut++;
            return;
        }
        Line line = new Line(
                submitted(query),
                required(query, "user").asString(),
                query.path("group").asString(AdmissionLimits.DEFAULT_GROUP),
                fingerprint(query),
                query.path("reservedBytes").asLong(0),
                runNanos,
                declaredHeavy(query));
        lines.add(line);
        if (runNanos > 0) {
            keys(line).forEach(key -> {
                long[] sum = sums.computeIfAbsent(key, unseen -> new long[2]);
                sum[0] += runNanos;
                sum[1]++;
            });
        }
    }

    private static boolean wantedToRun(JsonNode query) {
        if (REFUSED_BY_ADMISSION.contains(query.path("code").asString(""))) {
            return true;
        }
        // Logs of before there were decisions in them do not tell whether it came to admission.
        boolean asked = !query.has("admission") || !query.path("admission").isEmpty();
        return asked && query.path("outcome").asString("").equals("cancelled");
    }

    private static boolean declaredHeavy(JsonNode query) {
        if (query.path("reservedBytes").asLong(0) == 0) {
            // Without a permit, nothing but its client's word gives it a class.
            return query.path("class").asString("").equals("heavy");
        }
        for (JsonNode step : query.path("admission")) {
            if (step.path("why").asString("").equals("declared_heavy")) {
                return true;
            }
        }
        return false;
    }

    /** How long it had a slot; 0 when it never ran. */
    private long runNanos(JsonNode query) {
        long running = millis(query, "runningMs");
        long paused = query.has("pausedMs") ? millis(query, "pausedMs") : 0;
        return running == 0 ? 0 : Math.max(1, running - paused);
    }

    private static List<String> keys(Line line) {
        return List.of("statement " + line.fingerprint, "user " + line.user, "all");
    }

    private LogTrace trace() {
        lines.sort(Comparator.comparing(Line::submitted));
        List<LogTrace.Entry> entries = new ArrayList<>(lines.size());
        int estimated = 0;
        for (Line line : lines) {
            long run = line.runNanos;
            if (run == 0) {
                run = mean(line);
                estimated++;
            }
            OptionalLong bytes = line.bytes > 0 ? OptionalLong.of(line.bytes) : OptionalLong.empty();
            long at = Duration.between(lines.get(0).submitted, line.submitted).toNanos();
            entries.add(
                    new LogTrace.Entry(at, new Ask(line.user, line.group, line.fingerprint, bytes, run, line.heavy)));
        }
        if (entries.isEmpty()) {
            throw new TraceException(file + ": no query in it came to admission");
        }
        return new LogTrace(entries, remark(estimated));
    }

    private long mean(Line line) {
        for (String key : keys(line)) {
            long[] sum = sums.get(key);
            if (sum != null) {
                return sum[0] / sum[1];
            }
        }
        throw new TraceException(file + ": no query in it ran, so there are no run times to simulate with");
    }

    private String remark(int estimated) {
        List<String> remarks = new ArrayList<>();
        if (estimated > 0) {
            remarks.add(estimated + " did not run then and get the mean run time of their statement or user");
        }
        if (leftOut > 0) {
            remarks.add(leftOut + " never came to admission and are left out");
        }
        return remarks.isEmpty() ? "" : "of the queries logged, " + String.join("; ", remarks);
    }

    private Instant submitted(JsonNode query) {
        String text = required(query, "submitted").asString();
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw fault("submitted", "'" + text + "' is no time");
        }
    }

    private long fingerprint(JsonNode query) {
        String text = query.path("fingerprint").asString("0");
        try {
            return Long.parseUnsignedLong(text, 16);
        } catch (NumberFormatException e) {
            throw fault("fingerprint", "'" + text + "' is no hexadecimal number");
        }
    }

    private long millis(JsonNode query, String field) {
        JsonNode value = required(query, field);
        double millis = value.isNumber() ? value.asDouble() : -1;
        if (!(millis >= 0 && millis < 1e12)) {
            throw fault(field, value + " is no number of milliseconds");
        }
        return Math.round(millis * 1e6);
    }

    private JsonNode required(JsonNode query, String field) {
        @Nullable JsonNode value = query.get(field);
        if (value == null || value.isNull()) {
            throw fault(field, "is missing");
        }
        return value;
    }

    private TraceException fault(String field, String what) {
        return new TraceException(file + ":" + number + ": " + field + ": " + what);
    }
}
