package dev.weir.gateway.cli.simulate;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.util.unit.DataSize;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * A value of a YAML file that knows its place, so that whatever is wrong with it can be told with file, line and key.
 * Every method throws {@link TraceException} for a value of another kind.
 */
final class YamlValue {

    private static final Pattern TIME = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(us|ms|s|m|h|d)");
    private static final Map<String, Double> UNITS =
            Map.of("us", 1e3, "ms", 1e6, "s", 1e9, "m", 60e9, "h", 3_600e9, "d", 86_400e9);

    private final String file;
    private final String key;
    private final Node node;

    private YamlValue(String file, String key, Node node) {
        this.file = file;
        this.key = key;
        this.node = node;
    }

    /** The top of a text. */
    static YamlValue parse(String file, String text) {
        try {
            LoaderOptions options = new LoaderOptions();
            Node top = new Yaml(new SafeConstructor(options)).compose(new StringReader(text));
            if (top == null) {
                throw new TraceException(file + ": is empty");
            }
            return new YamlValue(file, "", top);
        } catch (MarkedYAMLException e) {
            int line = e.getProblemMark() == null ? 1 : e.getProblemMark().getLine() + 1;
            throw new TraceException(file + ":" + line + ": is not valid YAML: " + e.getProblem(), e);
        } catch (YAMLException e) {
            throw new TraceException(file + ": is not valid YAML: " + e.getMessage(), e);
        }
    }

    /** The fault, with this value's place. */
    TraceException fault(String what) {
        return new TraceException(place(node) + (key.isEmpty() ? "" : key + ": ") + what);
    }

    private String place(Node at) {
        return file + ":" + (at.getStartMark().getLine() + 1) + ": ";
    }

    boolean isText() {
        return node instanceof ScalarNode;
    }

    boolean isMap() {
        return node instanceof MappingNode;
    }

    /** The values by name; a name that is not among the known ones is a fault. */
    Map<String, YamlValue> fields(Set<String> known) {
        if (!(node instanceof MappingNode map)) {
            throw fault("must be a map with some of " + String.join(", ", new TreeSet<>(known)));
        }
        Map<String, YamlValue> fields = new LinkedHashMap<>();
        for (NodeTuple entry : map.getValue()) {
            String name = entry.getKeyNode() instanceof ScalarNode scalar ? scalar.getValue() : "";
            String path = key.isEmpty() ? name : key + "." + name;
            if (!known.contains(name)) {
                throw new TraceException(place(entry.getKeyNode()) + path + ": unknown key; known are "
                        + String.join(", ", new TreeSet<>(known)));
            }
            if (fields.put(name, new YamlValue(file, path, entry.getValueNode())) != null) {
                throw new TraceException(place(entry.getKeyNode()) + path + ": is given twice");
            }
        }
        return fields;
    }

    /** The field by this name, which must be there. */
    YamlValue required(Map<String, YamlValue> fields, String name) {
        YamlValue value = fields.get(name);
        if (value == null) {
            throw fault(name + " is missing");
        }
        return value;
    }

    /** The one field of a map that says by its name what the value means; the others may stand beside it. */
    String only(Map<String, YamlValue> fields, Set<String> choices) {
        Map<String, YamlValue> chosen = new HashMap<>(fields);
        chosen.keySet().retainAll(choices);
        if (chosen.size() != 1) {
            throw fault("must have exactly one of " + String.join(", ", new TreeSet<>(choices)));
        }
        return chosen.keySet().iterator().next();
    }

    /** The values of a list; a single value is a list of one. */
    List<YamlValue> items() {
        if (!(node instanceof SequenceNode list)) {
            return List.of(this);
        }
        List<YamlValue> items = new ArrayList<>();
        for (Node item : list.getValue()) {
            items.add(new YamlValue(file, key + "[" + items.size() + "]", item));
        }
        if (items.isEmpty()) {
            throw fault("must not be empty");
        }
        return items;
    }

    String text() {
        if (node instanceof ScalarNode scalar && !scalar.getValue().isBlank()) {
            return scalar.getValue();
        }
        throw fault("must be a text");
    }

    /** A time such as {@code 100ms}, {@code 0.1s}, {@code 5m}, in nanoseconds. */
    long nanos(long least) {
        Matcher time = TIME.matcher(text());
        if (!time.matches()) {
            throw fault("'" + text() + "' is no time; write it as 100ms, 0.1s or 5m");
        }
        double nanos = Double.parseDouble(time.group(1)) * UNITS.getOrDefault(time.group(2), 1e9);
        if (nanos > 1e18) {
            throw fault("must be at most 30 years");
        }
        if (nanos < least) {
            throw fault("must be more than 0");
        }
        return Math.round(nanos);
    }

    long count(long least, long most) {
        return whole(least, most, "must be a number from " + least + " to " + most);
    }

    /** Any whole number. */
    long whole() {
        return whole(Long.MIN_VALUE, Long.MAX_VALUE, "must be a whole number");
    }

    private long whole(long least, long most, String rule) {
        long number;
        try {
            number = Long.parseLong(text());
        } catch (NumberFormatException e) {
            throw fault(rule + ", not '" + text() + "'");
        }
        if (number < least || number > most) {
            throw fault(rule + ", not " + number);
        }
        return number;
    }

    /** A number more than 0 and at most {@code most}. */
    double positive(double most) {
        double number;
        try {
            number = Double.parseDouble(text());
        } catch (NumberFormatException e) {
            throw fault("'" + text() + "' is no number");
        }
        if (!(number > 0 && number <= most)) {
            throw fault("must be more than 0 and at most " + most);
        }
        return number;
    }

    /** A number of times per unit of time, such as {@code 2/s} or {@code 30/m}; per nanosecond. */
    double rate() {
        String[] parts = text().split("/", -1);
        Double unit = parts.length == 2 ? UNITS.get(parts[1].strip()) : null;
        try {
            double perNano = unit == null ? 0 : Double.parseDouble(parts[0]) / unit;
            if (perNano > 0 && perNano <= 1e-3) {
                return perNano;
            }
        } catch (NumberFormatException e) {
            // Told below, with the others.
        }
        throw fault("'" + text() + "' is no rate; write it as 2/s or 30/m, at most 1000000/s");
    }

    /** A size such as {@code 100MB}, in bytes, at least 1. */
    long bytes() {
        long bytes;
        try {
            bytes = DataSize.parse(text()).toBytes();
        } catch (IllegalArgumentException e) {
            throw fault("'" + text() + "' is no size; write it as 100MB or 2GB");
        }
        if (bytes < 1) {
            throw fault("must be at least 1B");
        }
        return bytes;
    }
}
