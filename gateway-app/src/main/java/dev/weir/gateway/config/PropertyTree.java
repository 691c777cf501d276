package dev.weir.gateway.config;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Properties as a tree of maps, as JSON and YAML write them. A wrong shape is an {@link IllegalArgumentException}. */
final class PropertyTree {

    private static final Pattern KEY = Pattern.compile("[a-z][a-z0-9-]*");
    private static final Pattern PLAIN = Pattern.compile("[a-z0-9][a-z0-9-]*");

    /** The one key whose children are named by the operator. */
    private static final String GROUPS = "groups";

    private PropertyTree() {}

    /** A copy of {@code base} with the changes; a null takes a key away. Neither is changed. */
    static Map<String, Object> merge(Map<String, ?> base, Map<String, ?> changes) {
        Map<String, Object> merged = new LinkedHashMap<>(base);
        for (Map.Entry<String, ? extends @Nullable Object> change : changes.entrySet()) {
            String key = change.getKey();
            Object value = change.getValue();
            Object before = merged.get(key);
            if (value == null) {
                merged.remove(key);
            } else if (value instanceof Map<?, ?> children) {
                Map<String, Object> kept = before instanceof Map<?, ?> map ? texted(map) : Map.of();
                Map<String, Object> inner = merge(kept, texted(children));
                if (inner.isEmpty()) {
                    merged.remove(key);
                } else {
                    merged.put(key, inner);
                }
            } else {
                merged.put(key, value);
            }
        }
        return merged;
    }

    /** Keys as dotted names behind the prefix, which ends with a dot. */
    static Map<String, Object> flat(String prefix, Map<String, ?> tree) {
        Map<String, Object> flat = new LinkedHashMap<>();
        flatten(prefix, tree, flat, false);
        return flat;
    }

    private static void flatten(String prefix, Map<String, ?> tree, Map<String, Object> flat, boolean named) {
        for (Map.Entry<String, ? extends @Nullable Object> entry : tree.entrySet()) {
            String key = entry.getKey();
            if (!named && !KEY.matcher(key).matches()) {
                throw new IllegalArgumentException("Unknown property: " + prefix + shown(key));
            }
            String name = named && !PLAIN.matcher(key).matches()
                    ? prefix.substring(0, prefix.length() - 1) + "[" + key + "]"
                    : prefix + key;
            Object value = entry.getValue();
            if (value instanceof Map<?, ?> children) {
                boolean groups = !named && key.equals(GROUPS) && !prefix.contains("." + GROUPS);
                flatten(name + ".", texted(children), flat, groups);
            } else if (value instanceof Iterable<?> || named) {
                throw new IllegalArgumentException("The property " + name + " has a bad value");
            } else if (value != null) {
                flat.put(name, value.toString());
            }
        }
    }

    private static Map<String, Object> texted(Map<?, ?> map) {
        Map<String, Object> texted = new LinkedHashMap<>();
        map.forEach((key, value) -> texted.put(String.valueOf(key), value));
        return texted;
    }

    private static String shown(String key) {
        return key.length() > 64 ? key.substring(0, 64) + "..." : key;
    }
}
