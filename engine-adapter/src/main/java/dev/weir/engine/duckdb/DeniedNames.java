package dev.weir.engine.duckdb;

import dev.weir.engine.duckdb.SqlLexer.Kind;
import java.util.Set;

/**
 * Functions and system views that only an administrator, or nobody, may name.
 *
 * <p>They run text that the scan has not seen, change the engine, or tell paths, settings and secrets of the machine.
 * The check is lexical, on every identifier whatever its quoting; since writers cannot name them either, no macro and
 * no view of theirs can bring them back.
 */
final class DeniedNames {

    /** Who may name something. */
    enum Verdict {
        ALLOWED,
        ADMIN,
        NOBODY
    }

    /** Take raw addresses: a wrong number ends the process. */
    private static final Set<String> UNSAFE_FUNCTIONS =
            Set.of("arrow_scan", "arrow_scan_dumb", "pandas_scan", "python_map_function");

    private static final Set<String> ADMIN_FUNCTIONS = Set.of(
            "query",
            "query_table",
            "json_execute_serialized_sql",
            "checkpoint",
            "force_checkpoint",
            "current_setting",
            "getenv",
            "enable_logging",
            "disable_logging",
            "enable_profiling",
            "disable_profiling",
            "truncate_duckdb_logs",
            "write_log",
            "create_external_resource",
            "destroy_external_resource",
            "deregister_external_resource",
            "which_secret",
            "sql_auto_complete",
            "read_duckdb");

    /** Views, and the table functions below them; a view needs no bracket, so the name alone counts. */
    private static final Set<String> ADMIN_RELATIONS = Set.of(
            "duckdb_settings",
            "duckdb_secrets",
            "duckdb_databases",
            "duckdb_logs",
            "duckdb_log_contexts",
            "duckdb_temporary_files",
            "duckdb_extensions",
            "duckdb_extension_repositories",
            "duckdb_external_file_cache",
            "duckdb_external_resources",
            "duckdb_prepared_statements",
            "duckdb_variables",
            "duckdb_views",
            "pragma_database_list",
            "pragma_user_agent",
            "pg_settings",
            "pg_views",
            "sqlite_master",
            "sqlite_schema",
            "sqlite_temp_master",
            "sqlite_temp_schema");

    private DeniedNames() {}

    /** The verdict on the token at {@code i}. A string may name a table, so strings that equal a view's name count. */
    static Verdict of(Tokens tokens, int i) {
        Kind kind = tokens.kind(i);
        if (kind != Kind.WORD && kind != Kind.QUOTED && kind != Kind.STRING) {
            return Verdict.ALLOWED;
        }
        String name = tokens.name(i);
        if (ADMIN_RELATIONS.contains(name)) {
            return Verdict.ADMIN;
        }
        if (!tokens.isSymbol(i + 1, '(')) {
            return Verdict.ALLOWED;
        }
        if (UNSAFE_FUNCTIONS.contains(name)) {
            return Verdict.NOBODY;
        }
        return ADMIN_FUNCTIONS.contains(name) ? Verdict.ADMIN : Verdict.ALLOWED;
    }
}
