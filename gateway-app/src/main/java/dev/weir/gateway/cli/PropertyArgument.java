package dev.weir.gateway.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Checks arguments of the form {@code --name=value}. Whether a {@code weir} property exists and its value is right is the
 * start's own check, the same for every source; this one finds what would be taken for no property at all.
 */
final class PropertyArgument {

    private static final Set<String> PREFIXES = Set.of("weir", "server", "spring", "logging", "management");

    private static final Pattern NAME = Pattern.compile("[A-Za-z][\\w-]*(\\[[^\\]]*]|\\.[\\w-]+)+");

    private PropertyArgument() {}

    /**
     * @param otherOptions what else might have been meant
     * @return what is wrong with the argument, with a suggestion; null when it is a property
     */
    static @Nullable String fault(String argument, List<String> otherOptions) {
        if (!argument.startsWith("--")) {
            return "unexpected argument '" + argument + "'" + (argument.startsWith("-") ? "" : hint(argument));
        }
        int equals = argument.indexOf('=');
        String name = equals < 0 ? argument.substring(2) : argument.substring(2, equals);
        int dot = name.indexOf('.');
        if (dot > 0
                && PREFIXES.contains(name.substring(0, dot))
                && NAME.matcher(name).matches()) {
            return equals < 0 ? "--" + name + " needs a value: --" + name + "=VALUE" : null;
        }
        List<String> meant = suggestions(name, otherOptions);
        return "unknown option '--" + name + "'"
                + (meant.isEmpty() ? "" : "; did you mean " + String.join(" or ", meant) + "?");
    }

    private static String hint(String argument) {
        return argument.indexOf('=') > 0 && argument.indexOf('.') > 0 ? "; did you mean --" + argument + "?" : "";
    }

    private static List<String> suggestions(String name, List<String> otherOptions) {
        List<String> properties = propertyNames();
        List<String> endings = properties.stream()
                .filter(property -> property.endsWith("." + name))
                .sorted(Comparator.comparingInt(String::length))
                .limit(2)
                .map(property -> "--" + property)
                .toList();
        if (!endings.isEmpty()) {
            return endings;
        }
        String option = "--" + name;
        return Stream.concat(otherOptions.stream(), properties.stream().map(property -> "--" + property))
                .filter(candidate -> distance(option, candidate) <= Math.max(2, option.length() / 4))
                .min(Comparator.comparingInt(candidate -> distance(option, candidate)))
                .map(List::of)
                .orElse(List.of());
    }

    /** All {@code weir} properties, from the metadata that the build makes of the configuration class. */
    static List<String> propertyNames() {
        Set<String> names = new TreeSet<>();
        try (InputStream in =
                PropertyArgument.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            if (in != null) {
                for (JsonNode property : new JsonMapper().readTree(in).path("properties")) {
                    names.add(property.path("name").asString());
                }
            }
        } catch (IOException | JacksonException e) {
            // Only suggestions are lost.
        }
        return new ArrayList<>(names);
    }

    /** Levenshtein's distance, without regard to case. */
    static int distance(String first, String second) {
        String a = first.toLowerCase(Locale.ROOT);
        String b = second.toLowerCase(Locale.ROOT);
        int[] costs = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            costs[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = costs[0];
            costs[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replace = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = costs[j];
                costs[j] = Math.min(replace, 1 + Math.min(costs[j], costs[j - 1]));
            }
        }
        return costs[b.length()];
    }
}
