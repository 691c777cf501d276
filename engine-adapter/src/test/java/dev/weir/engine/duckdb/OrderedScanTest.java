package dev.weir.engine.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whether a statement's rows have an order that its client may rely on. */
class OrderedScanTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select * from t order by x",
                "SELECT * FROM t Order /* so */ By x LIMIT 3",
                "(select * from t order by x)",
                "((select * from t order by x))",
                "with a as (select 1) select * from a order by 1",
                "select 1 union all select 2 order by 1",
                "from t order by all",
                "values (1), (2) order by 1"
            })
    void ordered(String sql) {
        assertThat(StatementScanner.scan(sql).scan().ordered()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select * from t",
                "select * from (select * from t order by x)",
                "select list(x order by x) from t",
                "select sum(x) over (order by x) from t",
                "select 'order by' from t -- order by x",
                "select \"order\", [x for x in l], {'a': 1} from t",
                "(select 1 order by 1) union all (select 2 order by 1)",
                "with a as (select * from t order by x) select * from a"
            })
    void unordered(String sql) {
        assertThat(StatementScanner.scan(sql).scan().ordered()).isFalse();
    }
}
