package dev.weir.engine.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.engine.Access;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.StatementKind;
import dev.weir.engine.StatementScan;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StatementScannerTest {

    private static StatementScan scan(String sql) {
        return StatementScanner.scan(sql).scan();
    }

    private static EngineException refusal(String sql) {
        return catchThrowableOfType(EngineException.class, () -> StatementScanner.scan(sql));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            select 1                                                        | QUERY       | READ  | false
            (select 1) union (select 2)                                     | QUERY       | READ  | false
            ((with a as (select 1) select * from a))                        | QUERY       | READ  | false
            -- comment /* ' */                                              | QUERY       | READ  | false
            from t                                                          | QUERY       | READ  | false
            values (1)                                                      | QUERY       | READ  | false
            table t                                                         | QUERY       | READ  | false
            pivot t on x using sum(y)                                       | QUERY       | READ  | false
            unpivot t on a, b                                               | QUERY       | READ  | false
            selec 1                                                         | QUERY       | READ  | false
            with a as (select 1), b(x) as materialized (select 2) select 3  | QUERY       | READ  | false
            with recursive a using key (x) as (select 1) from a             | QUERY       | READ  | false
            with a as (select 1), select 2                                  | QUERY       | READ  | false
            with a as (select 1) insert into t select * from a              | DML         | WRITE | false
            with a as (select 1) update t set x = 1                         | DML         | WRITE | false
            with a as not materialized (select 1) delete from t             | DML         | WRITE | false
            with update as (select 1) select * from update                  | QUERY       | READ  | false
            with a as (insert into t values (1) returning *) select 1       | DML         | WRITE | true
            with a as (with b as (delete from t returning *) from b) from a | DML         | WRITE | true
            select (update) from t                                          | QUERY       | READ  | false
            insert into t values (1)                                        | DML         | WRITE | false
            insert into t values (1) returning i                            | DML         | WRITE | true
            insert into t select "returning" from u                         | DML         | WRITE | false
            merge into t using u on t.i = u.i when matched then delete      | DML         | WRITE | false
            truncate t                                                      | DML         | WRITE | false
            show tables                                                     | SHOW        | READ  | false
            describe t                                                      | SHOW        | READ  | false
            summarize t                                                     | SHOW        | READ  | false
            pragma table_info('t')                                          | SHOW        | READ  | false
            pragma threads = 3                                              | MAINTENANCE | ADMIN | true
            explain select 1                                                | EXPLAIN     | READ  | false
            explain insert into t values (1)                                | EXPLAIN     | WRITE | false
            explain analyze select 1                                        | EXPLAIN     | READ  | false
            explain analyze insert into t values (1)                        | DML         | WRITE | true
            explain (analyze, format json) delete from t                    | DML         | WRITE | true
            create table t (i int)                                          | DDL         | WRITE | false
            create or replace view v as select 1                            | DDL         | WRITE | false
            create macro m() as 1                                           | DDL         | WRITE | false
            alter table t add column j int                                  | DDL         | WRITE | false
            drop table t                                                    | DDL         | WRITE | false
            comment on table t is 'x'                                       | DDL         | WRITE | false
            checkpoint                                                      | MAINTENANCE | ADMIN | false
            force checkpoint                                                | MAINTENANCE | ADMIN | false
            vacuum                                                          | MAINTENANCE | ADMIN | false
            analyze                                                         | MAINTENANCE | ADMIN | false
            call pragma_version()                                           | MAINTENANCE | ADMIN | true
            copy from database a to b                                       | MAINTENANCE | ADMIN | false
            create temp table t (i int)                                     | SESSION     | READ  | false
            create or replace temporary view v as select 1                  | SESSION     | READ  | false
            begin                                                           | SESSION     | READ  | false
            start transaction                                               | SESSION     | READ  | false
            commit                                                          | SESSION     | READ  | false
            use s                                                           | SESSION     | READ  | false
            set search_path = 's'                                           | SESSION     | READ  | false
            set session TimeZone = 'UTC'                                    | SESSION     | READ  | false
            set variable x = 1                                              | SESSION     | READ  | false
            reset schema                                                    | SESSION     | READ  | false
            insert into temp.x values (1)                                   | DML         | READ  | false
            insert or replace into "temp".main.x values (1)                 | DML         | READ  | false
            update temp.x set i = 1                                         | DML         | READ  | false
            delete from temp.x returning i                                  | DML         | READ  | true
            truncate table temp.x                                           | DML         | READ  | false
            insert into temp values (1)                                     | DML         | WRITE | false
            insert into x select * from temp.y                              | DML         | WRITE | false
            create table if not exists temp.x (i int)                       | DDL         | READ  | false
            drop table if exists temp.x                                     | DDL         | READ  | false
            drop schema temp                                                | DDL         | WRITE | false
            """)
    void findsTheKind(String sql, StatementKind kind, Access needs, boolean returning) {
        String text = sql.startsWith("--") ? sql + "\nselect 1" : sql;
        StatementScan scan = scan(text);
        assertThat(scan.kind()).isEqualTo(kind);
        assertThat(scan.needs()).isEqualTo(needs);
        assertThat(scan.hasReturning()).isEqualTo(returning);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "attach 'x.db'",
                "detach x",
                "install spatial",
                "force install spatial",
                "load spatial",
                "export database 'x'",
                "import database 'x'",
                "prepare p as select 1",
                "execute p",
                "deallocate p",
                "create secret s (type s3)",
                "create or replace persistent secret s (type s3)",
                "drop secret s",
                "set threads = 1",
                "set global memory_limit = '1GB'",
                "reset memory_limit",
                "set session threads = 1",
                "update extensions",
                "alter database x set alias to y",
                "create external resource 'x'",
                "connect 'x'",
                "explain attach 'x.db'",
                "with a as (attach 'x') select 1",
                "-- c\n/* d */ attach 'x'",
                "select * from arrow_scan(1, 2, 3)",
                "select * from \"ARROW_SCAN\" (1, 2, 3)"
            })
    void refusesWhatNoRoleMayRun(String sql) {
        assertThat(refusal(sql).failure()).isEqualTo(EngineFailure.FORBIDDEN);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select * from query('select 1')", "from query/* x */('select 1')", "select * from \"query\"('x')",
                "select * from `QUERY` ('x')", "select * from duckdb_settings()", "select * from duckdb_databases",
                "select * from 'duckdb_settings'", "select * from $$pg_settings$$", "from pg_catalog.pg_settings",
                "select current_setting('temp_directory')", "from force_checkpoint()", "from system.main.query('x')",
                "from json_execute_serialized_sql(json_serialize_sql('select 1'))", "from \"duckdb_\u0053ettings\"()"
            })
    void functionsThatTellOrEvadeNeedAdmin(String sql) {
        assertThat(scan(sql).needs()).isEqualTo(Access.ADMIN);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "from read_csv('/lake/a.csv')",
                "from read_csv(['/lake/a.csv', '/lake/x/b.csv'], header = true)",
                "from read_text($$/lake/a.txt$$)",
                "from glob('/lake/**/*.csv')",
                "copy t to '/lake/out.csv'",
                "copy t (a, b) from '/lake/in.csv' (header)",
                "copy (select 1) to '/lake/x.parquet'",
                "select read_csv, glob from t",
                "from read_csv('/lake/./x/../a.csv')"
            })
    void filesAreNamedLiterallyWithinTheirDirectories(String sql) {
        FilePaths lake = new FilePaths(List.of(Path.of("/lake")));
        assertThat(StatementScanner.scan(sql, lake).text()).isEqualTo(sql);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "from read_blob('/data/db.duckdb')",
                "from read_csv('/lake/../data/db.duckdb')",
                "from glob(?)",
                "from read_text('/da' || 'ta/db.duckdb')",
                "from read_text('/lake/a' 'b')",
                "from read_text(e'/lake/a')",
                "from \"READ_TEXT\" (x)",
                "from read_csv(['/lake/a.csv', ?])",
                "from read_csv(['/lake/a.csv', '/etc/x'])",
                "from parquet_metadata(getvariable('x'))",
                "from sniff_csv(upper('/lake/a'))",
                "from read_csv('a.csv')",
                "create macro m(p) as table from read_text(p)",
                "copy t to 'x.csv'",
                "copy t from ?",
                "copy t to (x)",
                "copy (select 1) to '/lake'",
                "explain copy t to '/etc/x'",
                "from read_csv('file:///lake/a.csv')",
                "from `read_blob`('/data/db')",
                "from read_blob(['/lake/a'] || ['/data/db'])",
                "from read_blob([])",
                "from read_text('/lake/a'::varchar)",
                "pragma import_database('/lake/x')"
            })
    void otherFilesAreRefused(String sql) {
        FilePaths lake = new FilePaths(List.of(Path.of("/lake")));
        EngineException refused = catchThrowableOfType(EngineException.class, () -> StatementScanner.scan(sql, lake));
        assertThat(refused).isNotNull();
        assertThat(refused.failure()).isEqualTo(EngineFailure.FORBIDDEN);
    }

    @Test
    void columnsMayBeCalledLikeDeniedFunctions() {
        assertThat(scan("select query, glob from logs where query = 'query'").needs())
                .isEqualTo(Access.READ);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select 1; select 2",
                ";select 1;select 2",
                "select $$a$$; select 2",
                "select e'\\''; select 2",
                "select 'a\\'; select 2",
                "select \"a\"\"b\"; select 2",
                "select `a\"`; select 2",
                "select $1 ; select $1",
                "select 1e'\\''; select 2",
                "select 1 -- x\r; select 2",
                "select /* /* */ ; */ 1; select 2",
                "select a$$ ; select b$$",
                "select $é$ ; $é$; select 2",
                "select 1\u00a0;\u00a0select 2"
            })
    void refusesSeveralStatements(String sql) {
        EngineException refused = refusal(sql);
        assertThat(refused.failure()).isEqualTo(EngineFailure.SYNTAX);
        assertThat(refused.getMessage()).startsWith("Only one statement");
        assertThat(refused.position()).isEqualTo(sql.lastIndexOf("select"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select 1;",
                ";; select 1 ;; -- the end",
                "select ';'",
                "select \";\"",
                "select $$;$$",
                "select `;`",
                "select e'\\';'",
                "select 1 /* ; */",
                "select 1 -- ;",
                "select $x$ $$ ; $x$",
                "select ''';'",
                "select x';'",
                "select \"a\"\";\""
            })
    void aSemicolonThatEndsNothingIsFine(String sql) {
        assertThat(scan(sql).kind()).isEqualTo(StatementKind.QUERY);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "  ",
                ";",
                "-- c",
                "/* c */",
                "select 'a",
                "select \"a",
                "select `a",
                "select $$a",
                "/* /* */",
                "select e'\\'",
                "select 1 \0",
                "select '\ud800'",
                "select \udc00"
            })
    void refusesBrokenTexts(String sql) {
        assertThat(refusal(sql).failure()).isEqualTo(EngineFailure.SYNTAX);
    }

    @Test
    void theStatementLosesWhatIsAroundIt() {
        ScannedStatement statement = StatementScanner.scan(" -- c\n ; select\u00a01, '\u00a0' ; -- d");
        assertThat(statement.text()).isEqualTo("select 1, '\u00a0'");
        assertThat(statement.offset()).isEqualTo(9);
    }

    @Test
    void refusesWhatIsTooLarge() {
        List<String> texts = List.of(
                "select '" + "x".repeat(1 << 20) + "'",
                "select " + "[".repeat(900) + "]".repeat(900),
                "select " + "(select ".repeat(20_000) + "1" + ")".repeat(20_000),
                "select 1 from a" + ", a".repeat(301),
                "select 1 from a" + " join a using (x)".repeat(301),
                "select 1" + " union all select 1".repeat(301),
                "select " + "@ ".repeat(100_000) + "1",
                "select " + "not ".repeat(1_001) + "true",
                "select " + "(- - - - - - ".repeat(199) + "1" + ")".repeat(199),
                "select a" + ".b".repeat(5_000),
                "select null::int" + "[3]".repeat(20),
                "select " + "f(lambda x: g(".repeat(20) + "1" + "))".repeat(20));
        for (String sql : texts) {
            EngineException refused = refusal(sql);
            assertThat(refused).as(sql.substring(0, 40)).isNotNull();
            assertThat(refused.failure()).isEqualTo(EngineFailure.TOO_LARGE);
        }
    }

    @Test
    void lengthyStatementsPass() {
        assertThat(scan("select 1 where x in (1" + ", 2".repeat(10_000) + ")").kind())
                .isEqualTo(StatementKind.QUERY);
        assertThat(scan("select " + "f(lambda x: 1), ".repeat(50) + "1").kind()).isEqualTo(StatementKind.QUERY);
        assertThat(scan("select a, b, c" + ", d".repeat(1_000) + " from t").kind())
                .isEqualTo(StatementKind.QUERY);
        assertThat(scan("select 1" + " + -1".repeat(3_000)).kind()).isEqualTo(StatementKind.QUERY);
        assertThat(scan("select x[1][2][3], " + "a.b.c, ".repeat(500) + "1").kind())
                .isEqualTo(StatementKind.QUERY);
    }

    @Test
    void fingerprintsIgnoreLiteralsCaseSpaceAndComments() {
        long base = scan("select a from t where b = 1 and c in (1, 2)").fingerprint();
        assertThat(scan("SELECT  a FROM t -- x\n WHERE b='x' AND c IN (7)").fingerprint())
                .isEqualTo(base);
        assertThat(scan("select a from t where b = -5 and c in (-1, 2, 'z')").fingerprint())
                .isEqualTo(base);
        assertThat(scan("select a from t where b = 1 and c in (1, 2);").fingerprint())
                .isEqualTo(base);
        assertThat(scan("select a from u where b = 1 and c in (1, 2)").fingerprint())
                .isNotEqualTo(base);
        assertThat(scan("select \"A\" from t").fingerprint())
                .isNotEqualTo(scan("select \"a\" from t").fingerprint());
        assertThat(scan("select a.b").fingerprint())
                .isNotEqualTo(scan("select a b").fingerprint());
    }
}
