package dev.weir.gateway.query;

import dev.weir.admission.AdmissionController;
import dev.weir.admission.RunPermit;
import dev.weir.auth.Identity;
import dev.weir.auth.Role;
import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.MetadataRequest;
import dev.weir.engine.QueryContext;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.SessionSettings;
import dev.weir.engine.StatementDescription;
import dev.weir.engine.StatementKind;
import dev.weir.engine.StatementRunner;
import dev.weir.engine.StatementScan;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The query service over one engine. */
public final class DefaultQueryService implements QueryService {

    /** The gateway's own user, for warming up. No user of the users file can have this name; it leaves no trace. */
    public static final String INTERNAL_USER = "weir:internal";

    private static final Logger log = LoggerFactory.getLogger(DefaultQueryService.class);

    private final QueryEngine engine;
    private final AdmissionController admission;
    /** Admits what ends a transaction: others may wait for what that holds. */
    private final AdmissionController endings;

    private final LimitsSource limits;
    private final AdmissionView view;
    private final Timers timers;
    private final InstantSource clock;
    private final QueryListener listener;
    private final Lane describing;
    private final Lane catalog;
    private final QueryRegistry registry = new QueryRegistry();
    private final RunServices services;
    private final Ingests ingests;
    private final SessionLimits sessionLimits;
    private final OpenSessions sessions;

    /**
     * The admission controllers of a service.
     *
     * @param queries for queries
     * @param decisions the listener of that one
     * @param describing places for describing
     * @param catalog places for catalog questions
     */
    public record Controllers(
            AdmissionController queries,
            AdmissionRelay decisions,
            AdmissionController describing,
            AdmissionController catalog) {}

    public DefaultQueryService(
            QueryEngine engine,
            Controllers controllers,
            LimitsSource limits,
            Timers timers,
            InstantSource clock,
            QueryListener listener) {
        this(engine, controllers, limits, timers, clock, listener, SessionLimits.DEFAULT);
    }

    public DefaultQueryService(
            QueryEngine engine,
            Controllers controllers,
            LimitsSource limits,
            Timers timers,
            InstantSource clock,
            QueryListener listener,
            SessionLimits sessionLimits) {
        this.sessionLimits = sessionLimits;
        this.sessions = new OpenSessions(sessionLimits.maxPerUser());
        this.engine = engine;
        this.admission = controllers.queries();
        this.endings = controllers.catalog();
        this.limits = limits;
        this.timers = timers;
        this.clock = clock;
        this.listener = listener;
        Duration describeTimeout = limits.clocks().describeTimeout();
        this.describing = new Lane(controllers.describing(), timers, describeTimeout);
        this.catalog = new Lane(controllers.catalog(), timers, describeTimeout);
        this.view = new DefaultAdmissionView(engine, admission, limits);
        this.services =
                new RunServices(engine, engine, admission, limits, timers, clock, null, this::opened, this::done);
        this.ingests = new Ingests(
                timers,
                identity -> limits.clocks().of(identity.groups()).clientStallTimeout(),
                (ingest, request) -> submit(ingest.identity(), request.query(), ingest, ingest.runner()));
        controllers.decisions().attach(registry, limits, this::decided);
    }

    @Override
    public QueryExecution submit(Identity identity, QueryRequest request) {
        return submit(identity, request, engine);
    }

    /** @param runner the engine, or the session that the query belongs to */
    QueryExecution submit(Identity identity, QueryRequest request, StatementRunner runner) {
        return submit(identity, request, null, runner);
    }

    @Override
    public boolean takesIngest() {
        return engine.takesIngest();
    }

    @Override
    public IngestInlet ingest(Identity identity, IngestRequest request) {
        return ingest(identity, request, engine);
    }

    /** @param runner the engine, or the session that the rows are loaded in */
    IngestInlet ingest(Identity identity, IngestRequest request, StatementRunner runner) {
        if (!engine.takesIngest()) {
            return QueryService.super.ingest(identity, request);
        }
        if (!RequestChecks.access(identity.role()).covers(StatementKind.INGEST.needs())) {
            throw RequestChecks.forbidden(identity, "Bulk ingest", StatementKind.INGEST.needs());
        }
        return ingests.open(identity, request, runner);
    }

    private QueryRun submit(Identity identity, QueryRequest request, @Nullable Ingest ingest, StatementRunner runner) {
        RunServices on = services.on(runner, ingest);
        boolean ends = runner instanceof DefaultQuerySession session
                && session.transactionId() != null
                && on.endsTransaction(request);
        QueryRun run = new QueryRun(
                QueryIds.next(clock.millis()),
                identity,
                ends ? request.withoutMemory() : request,
                limits.clocks().of(identity.groups()),
                ends ? on.admittedBy(endings) : on);
        registry.add(run);
        if (!isInternal(identity)) {
            tell(() -> listener.submitted(run.snapshot()));
            tell(() -> run.record().traceParent = listener.begun(run.snapshot()));
        }
        run.start(RequestChecks.access(identity.role()));
        return run;
    }

    private void decided(QueryRun run, AdmissionTrail.Step step) {
        if (!isInternal(run.identity())) {
            tell(() -> listener.decided(run.id(), step));
        }
    }

    private void opened(RunRecord of) {
        if (!isInternal(of.identity)) {
            tell(() -> listener.opened(of.id));
        }
    }

    private void done(QueryRun run, QuerySnapshot last) {
        boolean internal = isInternal(run.identity());
        registry.done(last, !internal);
        if (!internal) {
            tell(() -> listener.done(last));
        }
    }

    private static boolean isInternal(Identity identity) {
        return identity.user().equals(INTERNAL_USER);
    }

    private static void tell(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException e) {
            log.error("A query listener failed", e);
        }
    }

    @Override
    public QuerySession openSession(Identity identity) {
        sessions.count(identity.user());
        DefaultQuerySession session = new DefaultQuerySession(
                identity.user(), this, engine, timers, sessionLimits.idleInTransactionTimeout(), sessions);
        sessions.add(session);
        return session;
    }

    @Override
    public boolean needsSession(String sql) {
        try {
            return engine.scan(sql).session() != null;
        } catch (EngineException e) {
            return false;
        }
    }

    /** Open sessions, for metrics. */
    public int openSessions() {
        return sessions.size();
    }

    /** The sessions now, for metrics. */
    public SessionFigures sessionFigures() {
        return sessions.figures();
    }

    @Override
    public CompletionStage<Description> describe(Identity identity, String sql, SessionSettings settings) {
        return describe(identity, sql, settings, engine);
    }

    CompletionStage<Description> describe(
            Identity identity, String sql, SessionSettings settings, StatementRunner runner) {
        Access access = RequestChecks.access(identity.role());
        StatementScan scan;
        try {
            scan = engine.scan(sql);
            RequestChecks.checkStatement(identity, access, scan, runner != engine);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(Failures.of(e, null, true));
        }
        EngineQuery query = new EngineQuery(
                QueryIds.next(clock.millis()),
                sql,
                access,
                settings,
                List.of(),
                EngineQuery.DEFAULT_BATCH_ROWS,
                new QueryContext(identity.user(), 0, false, limits.clocks().describeTimeout()));
        return describing.run(identity, () -> runner.describe(query), (StatementDescription found, RunPermit place) -> {
            place.close(RunPermit.Outcome.FINISHED);
            return new Description(scan.kind(), scan.givesRows(), scan.ordered(), found.schema(), found.parameters());
        });
    }

    @Override
    public CompletionStage<ResultStream> metadata(Identity identity, MetadataRequest request) {
        return metadata(identity, () -> engine.metadata(request));
    }

    /** @param start asks the engine, or a session's connection */
    CompletionStage<ResultStream> metadata(Identity identity, Supplier<EngineCall<ArrowResult>> start) {
        return catalog.run(
                identity,
                start,
                (result, place) -> new LaneStream(timers, place)
                        .open(result, limits.clocks().describeTimeout()));
    }

    @Override
    public Optional<QuerySnapshot> find(Identity identity, String queryId) {
        QueryRun run = registry.live(queryId);
        @Nullable QuerySnapshot found = run != null ? run.snapshot() : registry.remembered(queryId);
        return Optional.ofNullable(found).filter(query -> maySee(identity, query.user()));
    }

    @Override
    public List<QuerySnapshot> list(Identity identity) {
        Map<String, QuerySnapshot> found = new LinkedHashMap<>();
        for (QueryRun run : registry.live()) {
            if (maySee(identity, run.identity().user()) && !isInternal(run.identity())) {
                found.put(run.id(), run.snapshot());
            }
        }
        for (QuerySnapshot query : registry.remembered()) {
            if (maySee(identity, query.user())) {
                found.put(query.id(), query);
            }
        }
        List<QuerySnapshot> newestFirst = new ArrayList<>(found.values());
        newestFirst.sort(Comparator.comparing(QuerySnapshot::submitted)
                .thenComparing(QuerySnapshot::id)
                .reversed());
        return newestFirst;
    }

    @Override
    public Optional<QuerySnapshot> cancel(Identity identity, String queryId) {
        QueryRun run = registry.live(queryId);
        if (run != null && maySee(identity, run.identity().user())) {
            boolean own = run.identity().user().equals(identity.user());
            run.cancel(own ? CancelReason.CLIENT_CANCEL : CancelReason.ADMIN);
            return Optional.of(run.snapshot());
        }
        return find(identity, queryId);
    }

    private static boolean maySee(Identity identity, String owner) {
        return identity.user().equals(owner) || identity.role().includes(Role.ADMIN);
    }

    @Override
    public AdmissionView admission() {
        return view;
    }

    @Override
    public CompletionStage<Boolean> ready() {
        return engine.check().result().handle((nothing, thrown) -> thrown == null);
    }

    /**
     * Takes no new queries, lets what runs go on, and cancels what is left after the grace.
     *
     * @return completes when nothing runs any more
     */
    public CompletionStage<Void> drain(Duration grace) {
        CompletionStage<Void> idle = admission.drain();
        Timers.Timer end = timers.schedule(grace, () -> {
            // A drain that was ended just now cancels nothing.
            if (admission.snapshot().draining()) {
                registry.live().forEach(run -> run.cancel(CancelReason.DRAIN));
            }
        });
        return idle.whenComplete((nothing, ended) -> end.cancel());
    }

    /** Ends a drain, so that its stage fails: queries are taken again. */
    public void resume() {
        admission.resume();
    }

    /**
     * Ends the query that was admitted last, of those that run since a moment; of all when none does.
     *
     * @param moment on the clock of the timers, in nanoseconds
     * @return its id; empty when nothing runs
     */
    public Optional<String> endNewest(long moment, GatewayException failure) {
        QueryRun newest = null;
        long latest = 0;
        boolean since = false;
        for (QueryRun run : registry.live()) {
            Long admitted = run.runningSince();
            if (admitted == null) {
                continue;
            }
            boolean ranThen = admitted - moment <= 0;
            if (newest == null || (ranThen && !since) || (ranThen == since && admitted - latest > 0)) {
                newest = run;
                latest = admitted;
                since = ranThen;
            }
        }
        if (newest == null) {
            return Optional.empty();
        }
        newest.fail(new GatewayException(
                failure.code(), failure.text(), failure.details().withQueryId(newest.id())));
        return Optional.of(newest.id());
    }

    /** Bytes held for bulk ingests that are under way. */
    public long uploadBytes() {
        return ingests.bytes();
    }

    /** Queries that are not done, for metrics: queued, running, streaming, cancelling. */
    public List<QuerySnapshot> liveQueries() {
        List<QuerySnapshot> live = new ArrayList<>();
        for (QueryRun run : registry.live()) {
            live.add(run.snapshot());
        }
        return live;
    }
}
