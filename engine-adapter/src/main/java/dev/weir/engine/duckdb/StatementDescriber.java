package dev.weir.engine.duckdb;

import dev.weir.engine.EngineQuery;
import dev.weir.engine.StatementDescription;
import dev.weir.engine.duckdb.ScannedStatement.Shape;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.apache.arrow.vector.types.pojo.Schema;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBPreparedStatement;

/** Describes one statement, on the thread inside the scope. Used once. */
final class StatementDescriber {

    private final ConnectionSource source;
    private final NativeScope scope;
    private final EngineQuery query;
    private final ScannedStatement statement;
    private SqlText text;

    StatementDescriber(ConnectionSource source, NativeScope scope, EngineQuery query, ScannedStatement statement) {
        this.source = source;
        this.scope = scope;
        this.query = query;
        this.statement = statement;
        this.text = SqlText.of(statement);
    }

    SqlText text() {
        return text;
    }

    /**
     * @param description what was found
     * @param stable whether it depends on the text alone, and not on the values of parameters
     */
    record Described(StatementDescription description, boolean stable) {}

    Described describe() throws SQLException {
        DuckDBConnection connection = source.open(scope, query, false);
        stopIfEnding();
        DuckDBPreparedStatement prepared = scope.add(connection.prepare(text.sql()));
        String zone = QueryConnections.zone(query.settings());
        Schema parameters = Parameters.schema(prepared, zone);
        if (!statement.scan().givesRows() || !ResultPlan.givesRows(prepared.getMetaData())) {
            return new Described(new StatementDescription(new Schema(List.of()), parameters), true);
        }
        ResultPlan plan = ResultPlan.of(prepared.getMetaData());
        boolean known = !plan.isUnknown();
        if (!known && statement.shape() == Shape.RELATION) {
            plan = probe(connection);
        }
        if (plan.needsCasts() && statement.shape() == Shape.OPAQUE) {
            plan.cast(text, Shape.OPAQUE);
        }
        return new Described(new StatementDescription(plan.schema(zone), parameters), known);
    }

    /** A read whose columns depend on its parameters, or on the data (PIVOT), shows them when it is run for no rows. */
    private ResultPlan probe(DuckDBConnection connection) throws SQLException {
        stopIfEnding();
        text = SqlText.of(statement).wrapped("SELECT * FROM (", "\n) LIMIT 0");
        DuckDBPreparedStatement prepared = scope.add(connection.prepare(text.sql()));
        if (query.parameterRows().isEmpty()) {
            Parameters.bindNulls(prepared);
        } else {
            Parameters.bind(connection, prepared, query.parameterRows().get(0));
        }
        try (ResultSet rows = prepared.executeQuery()) {
            return ResultPlan.of(rows.getMetaData());
        }
    }

    private void stopIfEnding() {
        if (scope.isEnding()) {
            throw ErrorTranslator.cancelled();
        }
    }
}
