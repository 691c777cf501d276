package dev.weir.gateway.cli.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.gateway.cli.table.TablePrinter.Column;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class TablePrinterTest {

    private final StringBuilder out = new StringBuilder();

    private TablePrinter printer(int maxWidth, Column... columns) {
        return new TablePrinter(out, List.of(columns), maxWidth);
    }

    private static Column text(String name) {
        return new Column(name, false);
    }

    private static Column number(String name) {
        return new Column(name, true);
    }

    @Test
    void numbersAreAlignedRightAndTextLeft() throws IOException {
        TablePrinter table = printer(0, text("name"), number("n"));
        table.row(List.of("a", "1"));
        table.row(List.of("longer", "12345"));
        table.end();

        assertThat(out.toString()).isEqualTo("""
                         name   |     n
                        --------+-------
                         a      |     1
                         longer | 12345
                        (2 rows)
                        """);
    }

    @Test
    void nullsAreShownAndDifferFromEmptyText() throws IOException {
        TablePrinter table = printer(0, text("a"), number("b"));
        table.row(Arrays.asList(null, null));
        table.row(List.of("", "7"));
        table.end();

        assertThat(out.toString()).isEqualTo("""
                         a    |    b
                        ------+------
                         NULL | NULL
                              |    7
                        (2 rows)
                        """);
    }

    @Test
    void wideCharactersTakeTwoColumnsAndCombiningMarksNone() throws IOException {
        TablePrinter table = printer(0, text("text"), text("end"));
        table.row(List.of("日本語", "|"));
        table.row(List.of("e\u0301a", "|"));
        table.row(List.of("🦆 duck", "|"));
        table.row(List.of("한글", "|"));
        table.row(List.of("ASCII", "|"));
        table.end();

        assertThat(out.toString()).isEqualTo("""
                         text    | end
                        ---------+-----
                         日本語  | |
                         e\u0301a      | |
                         🦆 duck | |
                         한글    | |
                         ASCII   | |
                        (5 rows)
                        """);
    }

    @Test
    void longValuesAreCutToTheWidthAndMarked() throws IOException {
        TablePrinter table = printer(6, text("a_long_header"), text("b"));
        table.row(List.of("123456", "x"));
        table.row(List.of("1234567", "x"));
        table.row(List.of("日本語日本語", "x"));
        table.end();

        assertThat(out.toString()).isEqualTo("""
                         a_lon… | b
                        --------+---
                         123456 | x
                         12345… | x
                         日本…  | x
                        (3 rows)
                        """);
    }

    @Test
    void controlCharactersAreShownNotSent() throws IOException {
        TablePrinter table = printer(0, text("a"));
        table.row(List.of("line\nbreak\ttab\r"));
        table.row(List.of("\u001b[31mred\u009b"));
        table.row(List.of("\u202eright to left"));
        table.end();

        assertThat(out.toString())
                .contains(" line\\nbreak\\ttab\\r\n")
                .contains(" \\x1b[31mred\\x9b\n")
                .contains(" \\u202eright to left\n")
                .doesNotContain("\u001b");
    }

    @Test
    void anEmptyResultHasItsHeader() throws IOException {
        printer(0, text("a"), number("b")).end();

        assertThat(out.toString()).isEqualTo("""
                         a | b
                        ---+---
                        (0 rows)
                        """);
    }

    @Test
    void oneRowIsSingular() throws IOException {
        TablePrinter table = printer(0, number("n"));
        table.row(List.of("1"));
        table.end();

        assertThat(out.toString()).endsWith("(1 row)\n");
    }

    @Test
    void rowsAreHeldBackOnlyUntilTheWidthsAreKnown() throws IOException {
        TablePrinter table = printer(0, text("a"), text("b"));
        for (int i = 0; i < 999; i++) {
            table.row(List.of("x", "y"));
        }
        assertThat(out).isEmpty();

        table.row(List.of("x", "y"));
        assertThat(out.toString().lines()).hasSize(1002);

        table.row(List.of("wider than its column", "y"));
        assertThat(out.toString()).endsWith(" wider than its column | y\n");
    }

    @Test
    void hugeValuesEndTheHoldingBackEarly() throws IOException {
        TablePrinter table = printer(0, text("a"));
        String megabyte = "x".repeat(1 << 20);
        for (int i = 0; i < 4; i++) {
            table.row(List.of(megabyte));
        }
        assertThat(out.length()).isGreaterThan(4 << 20);
    }

    @Test
    void whatWasHeldBackIsShownWhenTheResultBreaksOff() throws IOException {
        TablePrinter table = printer(0, text("a"));
        table.row(List.of("x"));
        table.flush();

        assertThat(out.toString()).isEqualTo(" a\n---\n x\n");
    }
}
