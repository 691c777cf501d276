package dev.weir.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/**
 * Holds docs/configuration.md equal to the configuration metadata. Run with {@code -Dweir.docs.write=true} to write the
 * table anew after a property was changed.
 */
class ConfigurationDocsTest {

    private static final Path PAGE = Path.of("..", "docs", "configuration.md");
    private static final String BEGIN = "<!-- properties: held equal to the metadata by a test -->";
    private static final String END = "<!-- end of properties -->";

    @Test
    void everyPropertyStandsInThePageWithItsDefaultAndMeaning() throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN);
        int end = page.indexOf(END);
        assertThat(begin).as("the marker " + BEGIN).isNotNegative();
        assertThat(end).as("the marker " + END).isGreaterThan(begin);
        String expected = "\n\n" + String.join("\n", table()) + "\n\n";
        if (Boolean.getBoolean("weir.docs.write")) {
            Files.writeString(PAGE, page.substring(0, begin + BEGIN.length()) + expected + page.substring(end));
            return;
        }
        assertThat(page.substring(begin + BEGIN.length(), end)).isEqualTo(expected);
    }

    private static List<String> table() throws IOException {
        List<String> rows = new ArrayList<>();
        rows.add("| property | default | meaning |");
        rows.add("|---|---|---|");
        for (Map<String, Object> property : properties()) {
            Object value = property.get("defaultValue");
            Object description = property.get("description");
            assertThat(description).as("description of " + property.get("name")).isNotNull();
            rows.add("| `" + property.get("name") + "` | " + shown(value) + " | "
                    + description.toString().replaceAll("\\s+", " ") + " |");
        }
        return rows;
    }

    private static String shown(Object value) {
        if (value == null) {
            return "";
        }
        String text = value instanceof List<?> list
                ? String.join(", ", list.stream().map(Object::toString).toList())
                : value.toString();
        return text.isEmpty() ? "" : "`" + text + "`";
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> properties() throws IOException {
        List<Map<String, Object>> found = new ArrayList<>();
        Enumeration<URL> all = ConfigurationDocsTest.class
                .getClassLoader()
                .getResources("META-INF/spring-configuration-metadata.json");
        while (all.hasMoreElements()) {
            try (InputStream in = all.nextElement().openStream()) {
                Map<String, Object> metadata = JsonMapper.shared().readValue(in, Map.class);
                for (Map<String, Object> property : (List<Map<String, Object>>) metadata.get("properties")) {
                    if (property.get("name").toString().startsWith("weir.")) {
                        found.add(property);
                    }
                }
            }
        }
        found.sort(Comparator.comparing(property -> property.get("name").toString()));
        assertThat(found).isNotEmpty();
        return found;
    }
}
