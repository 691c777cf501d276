package dev.weir.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds docs/compatibility.md honest: each test that it names exists, and each behaviour has one. */
class CompatibilityTest {

    private static final Path PAGE = Launcher.ROOT.resolve("docs/compatibility.md");
    private static final int BEHAVIOURS = 22;
    private static final Pattern ROW = Pattern.compile("\\| (\\d+)\\. .*\\|");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern JAVA = Pattern.compile("(\\w+)#(\\w+)");
    private static final Pattern PYTHON = Pattern.compile("(test_\\w+\\.py)::(test_\\w+)");

    @Test
    void everyTestNamedExists() throws IOException {
        Map<String, String> sources = sources();
        List<String> missing = new ArrayList<>();
        for (String name : tests(Files.readString(PAGE))) {
            Matcher java = JAVA.matcher(name);
            Matcher python = PYTHON.matcher(name);
            boolean found = java.matches()
                    ? contains(sources, java.group(1) + ".java", "void " + java.group(2) + "(")
                    : python.matches() && contains(sources, python.group(1), "\ndef " + python.group(2) + "(");
            if (!found) {
                missing.add(name);
            }
        }
        assertThat(missing).isEmpty();
    }

    @Test
    void everyBehaviourHasATestAndEachClientATestOrAReason() throws IOException {
        List<String> rows = Files.readAllLines(PAGE).stream()
                .filter(line -> ROW.matcher(line).matches())
                .toList();
        assertThat(rows)
                .extracting(CompatibilityTest::number)
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, BEHAVIOURS).boxed().toList());
        for (String row : rows) {
            String[] cells = row.split("\\|", -1);
            assertThat(cells).as(row).hasSize(1 + 9 + 1);
            assertThat(IntStream.rangeClosed(1, 9).mapToObj(i -> cells[i].strip()))
                    .as(row)
                    .noneMatch(String::isEmpty);
            assertThat(tests(row)).as(row).isNotEmpty();
        }
    }

    private static int number(String row) {
        Matcher matcher = ROW.matcher(row);
        return matcher.matches() ? Integer.parseInt(matcher.group(1)) : 0;
    }

    private static List<String> tests(String text) {
        return CODE.matcher(text)
                .results()
                .map(found -> found.group(1))
                .filter(code -> code.contains("#") || code.contains(".py"))
                .toList();
    }

    /** Of several classes with one name any counts. */
    private static boolean contains(Map<String, String> sources, String file, String text) {
        return sources.getOrDefault(file, "").contains(text);
    }

    /** The tests' sources by the names of their files. */
    private static Map<String, String> sources() throws IOException {
        Map<String, String> sources = new TreeMap<>();
        for (String directory : List.of(
                "admission/src/test",
                "auth/src/test",
                "engine-adapter/src/test",
                "gateway-app/src/test",
                "clients/java/src/test",
                "clients/tests")) {
            try (Stream<Path> tree = Files.walk(Launcher.ROOT.resolve(directory))) {
                for (Path file : tree.filter(CompatibilityTest::isTest).toList()) {
                    sources.merge(file.getFileName().toString(), Files.readString(file), String::concat);
                }
            }
        }
        return sources;
    }

    private static boolean isTest(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith("Test.java") || name.startsWith("test_") && name.endsWith(".py");
    }
}
