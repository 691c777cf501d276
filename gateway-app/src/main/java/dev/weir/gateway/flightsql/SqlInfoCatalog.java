package dev.weir.gateway.flightsql;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.flight.sql.FlightSqlProducer.Schemas;
import org.apache.arrow.flight.sql.SqlInfoBuilder;
import org.apache.arrow.flight.sql.impl.FlightSql;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlInfo;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;

/** What the gateway and DuckDB behind it can do, as {@code GetSqlInfo} tells it: only what is true. */
final class SqlInfoCatalog {

    /** The lexical scan refuses longer texts. */
    private static final long MAX_STATEMENT_LENGTH = 1 << 20;

    /** No fixed limit. */
    private static final long UNLIMITED = 0;

    /** Facts of the specification that the builder has no method for. */
    private static final Set<SqlInfo> NOT_TOLD = EnumSet.of(
            SqlInfo.UNRECOGNIZED,
            SqlInfo.FLIGHT_SQL_SERVER_SUBSTRAIT_MIN_VERSION,
            SqlInfo.FLIGHT_SQL_SERVER_SUBSTRAIT_MAX_VERSION,
            SqlInfo.SQL_SUPPORTED_CONCURRENCIES_FOR_RESULT_SET_UNSPECIFIED,
            SqlInfo.SQL_SUPPORTED_CONCURRENCIES_FOR_RESULT_SET_FORWARD_ONLY,
            SqlInfo.SQL_SUPPORTED_CONCURRENCIES_FOR_RESULT_SET_SCROLL_SENSITIVE,
            SqlInfo.SQL_SUPPORTED_CONCURRENCIES_FOR_RESULT_SET_SCROLL_INSENSITIVE);

    private static final Set<Integer> KNOWN = EnumSet.complementOf(EnumSet.copyOf(NOT_TOLD)).stream()
            .map(SqlInfo::getNumber)
            .collect(Collectors.toUnmodifiableSet());

    private final SqlInfoBuilder builder = new SqlInfoBuilder();
    private final BufferAllocator allocator;

    SqlInfoCatalog(FlightSqlBackend backend, FlightSqlSettings settings, BufferAllocator allocator) {
        this.allocator = allocator;
        server(backend, settings);
        syntax();
        features(backend.snapshots());
        limits();
        SqlVocabulary.describe(builder);
    }

    /** Numbers of the facts that are told. */
    static Set<Integer> known() {
        return KNOWN;
    }

    /** Sends the wanted facts, or all; those that are not known are left out. */
    void send(List<Integer> wanted, ServerStreamListener listener) {
        List<Integer> known = wanted.stream().filter(KNOWN::contains).toList();
        if (known.isEmpty() && !wanted.isEmpty()) {
            try (VectorSchemaRoot empty = VectorSchemaRoot.create(Schemas.GET_SQL_INFO_SCHEMA, allocator)) {
                listener.start(empty);
                listener.completed();
            }
            return;
        }
        builder.send(known, listener);
    }

    private void server(FlightSqlBackend backend, FlightSqlSettings settings) {
        builder.withFlightSqlServerName("Weir (" + backend.engine().name() + ' '
                        + backend.engine().version() + ')')
                .withFlightSqlServerVersion(backend.version())
                .withFlightSqlServerArrowVersion(arrowVersion())
                .withFlightSqlServerReadOnly(backend.engine().readOnly())
                .withFlightSqlServerSql(true)
                .withFlightSqlServerSubstrait(false)
                .withFlightSqlServerTransaction(FlightSql.SqlSupportedTransaction.SQL_SUPPORTED_TRANSACTION_TRANSACTION)
                .withFlightSqlServerCancel(true)
                .withFlightSqlServerBulkIngestion(backend.queries().takesIngest())
                .withFlightSqlServerBulkIngestionTransaction(backend.queries().takesIngest())
                // Milliseconds after which an unused prepared statement is closed.
                .withFlightSqlServerStatementTimeout((int) Math.min(
                        Integer.MAX_VALUE,
                        settings.preparedStatementTimeToLive().toMillis()))
                .withFlightSqlServerTransactionTimeout(0);
    }

    private void syntax() {
        builder.withSqlIdentifierQuoteChar("\"")
                .withSqlIdentifierCase(FlightSql.SqlSupportedCaseSensitivity.SQL_CASE_SENSITIVITY_CASE_INSENSITIVE)
                .withSqlQuotedIdentifierCase(
                        FlightSql.SqlSupportedCaseSensitivity.SQL_CASE_SENSITIVITY_CASE_INSENSITIVE)
                .withSqlSearchStringEscape("\\")
                .withSqlExtraNameCharacters("")
                .withSqlSchemaTerm("schema")
                .withSqlCatalogTerm("database")
                .withSqlProcedureTerm("")
                .withSqlCatalogAtStart(true)
                .withSqlNullOrdering(FlightSql.SqlNullOrdering.SQL_NULLS_SORTED_AT_END)
                .withSqlNullPlusNullIsNull(true)
                .withSqlSupportedGroupBy(
                        FlightSql.SqlSupportedGroupBy.SQL_GROUP_BY_UNRELATED,
                        FlightSql.SqlSupportedGroupBy.SQL_GROUP_BY_BEYOND_SELECT)
                .withSqlSupportedGrammar(
                        FlightSql.SupportedSqlGrammar.SQL_MINIMUM_GRAMMAR,
                        FlightSql.SupportedSqlGrammar.SQL_CORE_GRAMMAR,
                        FlightSql.SupportedSqlGrammar.SQL_EXTENDED_GRAMMAR)
                .withSqlAnsi92SupportedLevel(
                        FlightSql.SupportedAnsi92SqlGrammarLevel.ANSI92_ENTRY_SQL,
                        FlightSql.SupportedAnsi92SqlGrammarLevel.ANSI92_INTERMEDIATE_SQL)
                .withSqlSchemasSupportedActions(elementActions())
                .withSqlCatalogsSupportedActions(elementActions())
                .withSqlSubQueriesSupported(
                        FlightSql.SqlSupportedSubqueries.SQL_SUBQUERIES_IN_COMPARISONS,
                        FlightSql.SqlSupportedSubqueries.SQL_SUBQUERIES_IN_EXISTS,
                        FlightSql.SqlSupportedSubqueries.SQL_SUBQUERIES_IN_INS,
                        FlightSql.SqlSupportedSubqueries.SQL_SUBQUERIES_IN_QUANTIFIEDS)
                .withSqlSupportedUnions(
                        FlightSql.SqlSupportedUnions.SQL_UNION, FlightSql.SqlSupportedUnions.SQL_UNION_ALL)
                .withSqlOuterJoinSupportLevel(FlightSql.SqlOuterJoinsSupportLevel.SQL_FULL_OUTER_JOINS);
    }

    private static FlightSql.SqlSupportedElementActions[] elementActions() {
        return new FlightSql.SqlSupportedElementActions[] {
            FlightSql.SqlSupportedElementActions.SQL_ELEMENT_IN_PROCEDURE_CALLS,
            FlightSql.SqlSupportedElementActions.SQL_ELEMENT_IN_INDEX_DEFINITIONS,
            FlightSql.SqlSupportedElementActions.SQL_ELEMENT_IN_PRIVILEGE_DEFINITIONS
        };
    }

    private void features(boolean snapshots) {
        // A transaction sees the state at its first statement, and its own changes; else each statement what is
        // committed.
        FlightSql.SqlTransactionIsolationLevel isolation = snapshots
                ? FlightSql.SqlTransactionIsolationLevel.SQL_TRANSACTION_REPEATABLE_READ
                : FlightSql.SqlTransactionIsolationLevel.SQL_TRANSACTION_READ_COMMITTED;
        builder.withSqlDdlCatalog(false)
                .withSqlDdlSchema(true)
                .withSqlDdlTable(true)
                .withSqlSupportsColumnAliasing(true)
                .withSqlSupportsTableCorrelationNames(true)
                .withSqlSupportsDifferentTableCorrelationNames(false)
                .withSqlSupportsExpressionsInOrderBy(true)
                .withSqlSupportsOrderByUnrelated(true)
                .withSqlSupportsLikeEscapeClause(true)
                .withSqlSupportsNonNullableColumns(true)
                .withSqlSupportsIntegrityEnhancementFacility(true)
                .withSqlSelectForUpdateSupported(false)
                .withSqlStoredProceduresSupported(false)
                .withSqlStoredFunctionsUsingCallSyntaxSupported(false)
                .withSqlCorrelatedSubqueriesSupported(true)
                .withSqlMaxRowSizeIncludesBlobs(true)
                .withSqlAllTablesAreSelectable(true)
                .withSqlBatchUpdatesSupported(true)
                .withSqlNamedParametersSupported(false)
                .withSqlLocatorsUpdateCopy(false)
                .withSqlTransactionsSupported(true)
                .withSqlSavepointsSupported(false)
                .withSqlDataDefinitionCausesTransactionCommit(false)
                .withSqlDataDefinitionsInTransactionsIgnored(false)
                .withSqlDefaultTransactionIsolation(isolation.getNumber())
                .withSqlSupportedTransactionsIsolationLevels(isolation)
                .withSqlSupportedPositionedCommands()
                .withSqlSupportedResultSetTypes(FlightSql.SqlSupportedResultSetType.SQL_RESULT_SET_TYPE_FORWARD_ONLY);
    }

    private void limits() {
        builder.withSqlMaxBinaryLiteralLength(MAX_STATEMENT_LENGTH)
                .withSqlMaxCharLiteralLength(MAX_STATEMENT_LENGTH)
                .withSqlMaxStatementLength(MAX_STATEMENT_LENGTH)
                .withSqlMaxColumnNameLength(UNLIMITED)
                .withSqlMaxColumnsInGroupBy(UNLIMITED)
                .withSqlMaxColumnsInIndex(UNLIMITED)
                .withSqlMaxColumnsInOrderBy(UNLIMITED)
                .withSqlMaxColumnsInSelect(UNLIMITED)
                .withSqlMaxColumnsInTable(UNLIMITED)
                .withSqlMaxConnections(UNLIMITED)
                .withSqlMaxCursorNameLength(UNLIMITED)
                .withSqlMaxIndexLength(UNLIMITED)
                .withSqlDbSchemaNameLength(UNLIMITED)
                .withSqlMaxProcedureNameLength(UNLIMITED)
                .withSqlMaxCatalogNameLength(UNLIMITED)
                .withSqlMaxRowSize(UNLIMITED)
                .withSqlMaxStatements(UNLIMITED)
                .withSqlMaxTableNameLength(UNLIMITED)
                .withSqlMaxTablesInSelect(UNLIMITED)
                .withSqlMaxUsernameLength(UNLIMITED);
    }

    private static String arrowVersion() {
        String version = VectorSchemaRoot.class.getPackage().getImplementationVersion();
        return version != null ? version : "";
    }
}
