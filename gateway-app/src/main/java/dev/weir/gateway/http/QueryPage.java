package dev.weir.gateway.http;

import static dev.weir.gateway.http.Options.invalid;

import dev.weir.gateway.query.QuerySnapshot;
import dev.weir.gateway.query.QueryState;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.util.MultiValueMap;
import tools.jackson.core.JsonGenerator;

/**
 * One page of a list of queries, newest first.
 *
 * @param queries of this page
 * @param next cursor of the page behind it, or null when it is the last
 */
record QueryPage(List<QuerySnapshot> queries, @Nullable String next) {

    private static final int DEFAULT_LIMIT = 100;
    private static final int MAX_LIMIT = 1000;

    private static final Comparator<QuerySnapshot> NEWEST_FIRST = Comparator.comparing(QuerySnapshot::submitted)
            .thenComparing(QuerySnapshot::id)
            .reversed();

    /** A place in the order; new queries come before it, so that a page never repeats or skips one. */
    private record Cursor(Instant submitted, String id) {

        static Cursor parse(String text) {
            try {
                String[] parts = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8).split(" ", 2);
                if (parts.length == 2) {
                    return new Cursor(Instant.parse(parts[0]), parts[1]);
                }
            } catch (IllegalArgumentException | DateTimeException e) {
                // Told below.
            }
            throw invalid("\"cursor\" is not one that a page before gave.");
        }

        String text() {
            byte[] bytes = (submitted + " " + id).getBytes(StandardCharsets.UTF_8);
            return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        }

        boolean before(QuerySnapshot query) {
            int order = query.submitted().compareTo(submitted);
            return order < 0 || (order == 0 && query.id().compareTo(id) < 0);
        }
    }

    /**
     * @param parameters state (several by commas), limit, cursor; others are refused
     */
    static QueryPage of(MultiValueMap<String, String> parameters, List<QuerySnapshot> all) {
        Set<QueryState> states = EnumSet.allOf(QueryState.class);
        int limit = DEFAULT_LIMIT;
        Cursor cursor = null;
        for (var parameter : parameters.entrySet()) {
            String value =
                    parameter.getValue().size() == 1 ? parameter.getValue().get(0) : null;
            if (value == null) {
                throw invalid("\"" + parameter.getKey() + "\" must be given once, with a value.");
            }
            switch (parameter.getKey()) {
                case "state" -> states = states(value);
                case "limit" -> limit = limit(value);
                case "cursor" -> cursor = Cursor.parse(value);
                default -> throw invalid("Unknown parameter; known are state, limit and cursor.");
            }
        }
        List<QuerySnapshot> sorted = new ArrayList<>(all);
        sorted.sort(NEWEST_FIRST);
        List<QuerySnapshot> page = new ArrayList<>();
        for (QuerySnapshot query : sorted) {
            if (!states.contains(query.state()) || (cursor != null && !cursor.before(query))) {
                continue;
            }
            if (page.size() == limit) {
                QuerySnapshot last = page.get(limit - 1);
                return new QueryPage(page, new Cursor(last.submitted(), last.id()).text());
            }
            page.add(query);
        }
        return new QueryPage(page, null);
    }

    private static Set<QueryState> states(String value) {
        Set<QueryState> states = EnumSet.noneOf(QueryState.class);
        for (String name : value.split(",", -1)) {
            try {
                states.add(QueryState.valueOf(name.strip().toUpperCase(Locale.ROOT)));
            } catch (IllegalArgumentException e) {
                throw invalid("\"state\" must be of " + Arrays.toString(QueryState.values()) + ".");
            }
        }
        return states;
    }

    private static int limit(String value) {
        try {
            int limit = Integer.parseInt(value);
            if (limit >= 1 && limit <= MAX_LIMIT) {
                return limit;
            }
        } catch (NumberFormatException e) {
            // Told below.
        }
        throw invalid("\"limit\" must be 1 to " + MAX_LIMIT + ".");
    }

    void write(JsonGenerator json) {
        json.writeStartObject();
        json.writeArrayPropertyStart("queries");
        for (QuerySnapshot query : queries) {
            StatusJson.write(json, query, null);
        }
        json.writeEndArray();
        if (next != null) {
            json.writeStringProperty("nextCursor", next);
        }
        json.writeEndObject();
    }
}
