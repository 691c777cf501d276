package dev.weir.engine.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.EngineException;
import dev.weir.engine.StatementScan;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Texts that nobody wrote: the scan ends on each, in linear time, with a kind or a refusal. */
class StatementScannerFuzzTest {

    private static StatementScan scan(String sql) {
        return StatementScanner.scan(sql).scan();
    }

    /** Whatever the text, the scan answers or refuses; the seed is in the message. */
    @Test
    void anyTextIsScannedOrRefused() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        String[] parts = {
            "select",
            "with",
            "a",
            "as",
            "(",
            ")",
            "[",
            "]",
            "{",
            "}",
            ",",
            ";",
            "'",
            "\"",
            "`",
            "$",
            "$$",
            "$a$",
            "--",
            "/*",
            "*/",
            "\n",
            "\r",
            " ",
            "\u00a0",
            "e'",
            "E'",
            "x'",
            "1",
            "1e",
            ".",
            "..",
            "1_",
            "\\",
            "?",
            "::",
            ":=",
            "insert",
            "update",
            "explain",
            "analyze",
            "into",
            "returning",
            "é",
            "\ud83e\udd86",
            "\ud800",
            "\0",
            "-",
            "@",
            "not",
            "lambda",
            "join",
            "union",
            "from",
            "set",
            "create",
            "temp",
            "or",
            "replace",
            "query",
            "#",
            "recursive"
        };
        for (int round = 0; round < 30_000; round++) {
            StringBuilder sql = new StringBuilder();
            int length = random.nextInt(40);
            for (int i = 0; i < length; i++) {
                sql.append(parts[random.nextInt(parts.length)]);
                if (random.nextBoolean()) {
                    sql.append(' ');
                }
            }
            try {
                ScannedStatement statement = StatementScanner.scan(sql.toString());
                // What comes out is one statement by itself, and stays what it is.
                ScannedStatement again = StatementScanner.scan(statement.text());
                assertThat(again.text()).isEqualTo(statement.text());
                assertThat(again.scan()).isEqualTo(statement.scan());
            } catch (EngineException e) {
                assertThat(e.getMessage()).isNotEmpty();
            } catch (RuntimeException | StackOverflowError | AssertionError e) {
                throw new AssertionError("seed " + seed + ", text: " + sql, e);
            }
        }
    }

    /** Quadratic work would take minutes here. */
    @Test
    @Timeout(60)
    void halfAMegabyteOfAnythingIsScannedInAMoment() {
        for (String part : List.of(
                "(",
                "as(with ",
                "as(with)",
                "$",
                "$a",
                "$a$ ",
                "$$",
                "1e",
                "- ",
                "/*",
                "/**/",
                "explain ",
                "with a as (",
                "a.",
                "[1]",
                "'",
                "\"",
                "e'\\",
                "x as (insert into ",
                "as (with a as (select 1), ")) {
            String sql = "select " + part.repeat((1 << 19) / part.length());
            try {
                assertThat(StatementScanner.scan(sql).text()).as(part).isNotEmpty();
            } catch (EngineException e) {
                assertThat(e.getMessage()).as(part).isNotEmpty();
            }
        }
    }
}
