package dev.weir.engine.duckdb;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A DuckDB type, parsed from the text that DuckDB prints for it.
 *
 * @param name upper-case name without arguments: {@code INTEGER}, {@code STRUCT}, {@code LIST}, {@code ARRAY} ...
 * @param arguments what stands in the brackets of a type that is not nested, for example {@code 18,2}; may be empty
 * @param children of a nested type, named for STRUCT and UNION
 */
record DuckType(String name, String arguments, List<Child> children) {

    /** A part of a nested type. */
    record Child(String name, DuckType type) {}

    static final DuckType VARCHAR = new DuckType("VARCHAR", "", List.of());

    private static final Set<String> NESTED = Set.of("STRUCT", "TUPLE", "MAP", "UNION", "LIST", "ARRAY");

    /** Types that Arrow carries as they are. */
    private static final Set<String> CARRIED = Set.of(
            "BOOLEAN",
            "TINYINT",
            "SMALLINT",
            "INTEGER",
            "BIGINT",
            "HUGEINT",
            "UTINYINT",
            "USMALLINT",
            "UINTEGER",
            "UBIGINT",
            "FLOAT",
            "DOUBLE",
            "DECIMAL",
            "DATE",
            "TIME",
            "TIME_NS",
            "TIMESTAMP",
            "TIMESTAMP_S",
            "TIMESTAMP_MS",
            "TIMESTAMP_NS",
            "TIMESTAMP WITH TIME ZONE",
            "TIMESTAMPTZ_NS",
            "VARCHAR",
            "JSON",
            "UUID",
            "BLOB",
            "GEOMETRY",
            "NULL");

    /** Parses a type's text; a text that is not understood gives a type of that name without parts. */
    static DuckType parse(String text) {
        return new DuckTypeParser(text).parse();
    }

    boolean isNested() {
        return NESTED.contains(name);
    }

    /** Whether this is a single value of the given type. */
    boolean is(String type) {
        return name.equals(type);
    }

    /** Whether a predicate-like name occurs anywhere in this type. */
    boolean contains(Set<String> names) {
        return names.contains(name)
                || children.stream().anyMatch(child -> child.type().contains(names));
    }

    /**
     * The type that goes to clients: this one where Arrow can carry it, else with text in the place of the parts that it
     * cannot. A top-level INTERVAL is carried (its range is checked by an expression), a nested one becomes text.
     */
    DuckType wire() {
        return is("INTERVAL") ? this : nestedWire();
    }

    private DuckType nestedWire() {
        if (!isNested()) {
            return CARRIED.contains(name) ? this : VARCHAR;
        }
        List<Child> wired = new ArrayList<>(children.size());
        for (Child child : children) {
            wired.add(new Child(child.name(), child.type().nestedWire()));
        }
        return new DuckType(name, arguments, List.copyOf(wired));
    }

    /** Levels of nesting; 0 for a single value. */
    int depth() {
        int deepest = -1;
        for (Child child : children) {
            deepest = Math.max(deepest, child.type().depth());
        }
        return deepest + 1;
    }

    /** This type as SQL. */
    String sql() {
        return switch (name) {
            case "LIST" -> children.get(0).type().sql() + "[]";
            case "ARRAY" -> children.get(0).type().sql() + "[" + arguments + "]";
            case "STRUCT", "UNION" -> name + named();
            case "TUPLE", "MAP" -> name + unnamed();
            case "NULL" -> "\"NULL\"";
            default -> arguments.isEmpty() ? name : name + "(" + arguments + ")";
        };
    }

    private String named() {
        return children.isEmpty()
                ? ""
                : children.stream()
                        .map(child -> quote(child.name()) + " " + child.type().sql())
                        .collect(Collectors.joining(", ", "(", ")"));
    }

    private String unnamed() {
        return children.stream().map(child -> child.type().sql()).collect(Collectors.joining(", ", "(", ")"));
    }

    /** An identifier in double quotes. */
    static String quote(String identifier) {
        return '"' + identifier.replace("\"", "\"\"") + '"';
    }
}
