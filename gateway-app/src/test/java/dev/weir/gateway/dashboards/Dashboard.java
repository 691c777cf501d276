package dev.weir.gateway.dashboards;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.util.DefaultIndenter;
import tools.jackson.core.util.DefaultPrettyPrinter;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * One Grafana dashboard, built panel by panel. In expressions {@code @} stands for what every panel has: {@code {@}} for
 * the chosen instances, {@code [@]} for the interval of rates.
 */
final class Dashboard {

    private static final int COLUMNS = 24;
    private static final int HEIGHT = 8;
    private static final Map<String, Object> SOURCE = Map.of("type", "prometheus", "uid", "${datasource}");

    private final String uid;
    private final String title;
    private final List<Map<String, Object>> panels = new ArrayList<>();
    private int x;
    private int y;
    private int width = COLUMNS / 3;

    /** One line of a panel. */
    record Query(String expr, String legend) {}

    static Query query(String expr, String legend) {
        return new Query(expr.replace("{@", "{instance=~\"$instance\"").replace("[@]", "[$__rate_interval]"), legend);
    }

    Dashboard(String uid, String title) {
        this.uid = uid;
        this.title = title;
    }

    String uid() {
        return uid;
    }

    /** A heading; what follows stands below it, so many panels beside each other. */
    Dashboard row(String heading, int across) {
        y += x > 0 ? HEIGHT : 0;
        x = 0;
        width = COLUMNS / across;
        Map<String, Object> row = panel("row", heading, COLUMNS, 1);
        row.put("collapsed", false);
        row.put("panels", List.of());
        panels.add(row);
        y += 1;
        return this;
    }

    /** Lines over time. @param unit Grafana's name of it */
    Dashboard lines(String heading, String unit, String meaning, Query... queries) {
        return add("timeseries", heading, unit, meaning, queries);
    }

    /** The latest value in large. */
    Dashboard number(String heading, String unit, String meaning, Query query) {
        return add("stat", heading, unit, meaning, query);
    }

    private Dashboard add(String type, String heading, String unit, String meaning, Query... queries) {
        if (x + width > COLUMNS) {
            x = 0;
            y += HEIGHT;
        }
        Map<String, Object> panel = panel(type, heading, width, HEIGHT);
        panel.put("description", meaning);
        panel.put("datasource", SOURCE);
        Map<String, Object> defaults = new LinkedHashMap<>();
        defaults.put("unit", unit);
        defaults.put("min", 0);
        panel.put("fieldConfig", Map.of("defaults", defaults, "overrides", List.of()));
        List<Map<String, Object>> targets = new ArrayList<>();
        for (Query query : queries) {
            Map<String, Object> target = new LinkedHashMap<>();
            target.put("refId", String.valueOf((char) ('A' + targets.size())));
            target.put("datasource", SOURCE);
            target.put("expr", query.expr());
            target.put("legendFormat", query.legend());
            targets.add(target);
        }
        panel.put("targets", targets);
        panels.add(panel);
        x += width;
        return this;
    }

    private Map<String, Object> panel(String type, String heading, int w, int h) {
        Map<String, Object> position = new LinkedHashMap<>();
        position.put("h", h);
        position.put("w", w);
        position.put("x", x);
        position.put("y", y);
        Map<String, Object> panel = new LinkedHashMap<>();
        panel.put("id", panels.size() + 1);
        panel.put("type", type);
        panel.put("title", heading);
        panel.put("gridPos", position);
        return panel;
    }

    /** The file's content. */
    String json() {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("uid", uid);
        root.put("title", title);
        root.put("tags", List.of("weir"));
        root.put("schemaVersion", 39);
        root.put("editable", true);
        root.put("timezone", "browser");
        root.put("refresh", "30s");
        root.put("time", sorted("from", "now-1h", "to", "now"));
        root.put("templating", Map.of("list", List.of(datasource(), instance())));
        root.put("panels", panels);
        DefaultPrettyPrinter printer = new DefaultPrettyPrinter()
                .withArrayIndenter(new DefaultIndenter("  ", "\n"))
                .withObjectIndenter(new DefaultIndenter("  ", "\n"));
        JsonMapper mapper = JsonMapper.builder()
                .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                .build();
        return mapper.writer().with(printer).writeValueAsString(root) + "\n";
    }

    private static Map<String, Object> datasource() {
        return sorted("name", "datasource", "type", "datasource", "query", "prometheus", "label", "Data source");
    }

    private static Map<String, Object> instance() {
        Map<String, Object> variable = sorted("name", "instance", "type", "query", "label", "Instance");
        variable.put("datasource", SOURCE);
        variable.put("query", "label_values(weir_ready, instance)");
        variable.put("refresh", 2);
        variable.put("multi", true);
        variable.put("includeAll", true);
        variable.put("allValue", ".*");
        variable.put("current", sorted("text", "All", "value", "$__all"));
        return variable;
    }

    private static Map<String, Object> sorted(String... pairs) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            map.put(pairs[i], pairs[i + 1]);
        }
        return map;
    }
}
