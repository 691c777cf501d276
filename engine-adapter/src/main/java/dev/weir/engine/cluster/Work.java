package dev.weir.engine.cluster;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineIngest;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.IngestFeed;
import dev.weir.engine.QueryContext;
import dev.weir.engine.QueryEngine;
import java.util.function.BiFunction;

/**
 * What is run on one of the workers.
 *
 * @param context for whom, and within what
 * @param call runs it there, within what is left of that
 */
record Work(QueryContext context, BiFunction<QueryEngine, QueryContext, EngineCall<ArrowResult>> call) {

    static Work of(EngineQuery query) {
        return new Work(
                query.context(),
                (engine, context) -> engine.execute(new EngineQuery(
                        query.queryId(),
                        query.sql(),
                        query.access(),
                        query.settings(),
                        query.parameterRows(),
                        query.batchRows(),
                        context)));
    }

    static Work of(EngineIngest ingest, IngestFeed feed) {
        return new Work(
                ingest.context(),
                (engine, context) -> engine.ingest(
                        new EngineIngest(
                                ingest.queryId(),
                                ingest.target(),
                                ingest.mode(),
                                ingest.schema(),
                                ingest.access(),
                                ingest.settings(),
                                context),
                        feed));
    }

    EngineCall<ArrowResult> on(QueryEngine engine, QueryContext left) {
        return call.apply(engine, left);
    }
}
