package dev.weir.gateway.metrics;

import java.util.List;
import java.util.Set;

/**
 * Every meter of the gateway: name, kind, unit, labels and help. Nothing is registered but through it. The table in
 * {@code docs/metrics.md} is made of it.
 */
public enum WeirMeter {
    BUILD("weir.build", Kind.GAUGE, "", "Always 1; what this process is", "version", "commit"),
    READY("weir.ready", Kind.GAUGE, "", "1 when the gateway, or the worker, takes queries"),
    DRAINING("weir.draining", Kind.GAUGE, "", "1 while new queries are refused because of a drain or a stop"),

    QUERIES("weir.queries", Kind.COUNTER, "", "Queries that ended, by front and outcome", "front", "outcome"),
    ERRORS("weir.query.errors", Kind.COUNTER, "", "Queries that failed, by front and error code", "front", "code"),
    DURATION("weir.query.duration", Kind.HISTOGRAM, "seconds", "Time from submit to the end", "front", "outcome"),
    QUEUE_WAIT("weir.query.queue", Kind.HISTOGRAM, "seconds", "Time from submit to admit", "front"),
    ROWS("weir.query.rows", Kind.COUNTER, "", "Rows handed to clients", "front", "format"),
    BYTES("weir.query.sent", Kind.COUNTER, "bytes", "Bytes handed to clients", "front", "format"),
    PAUSED_TIME(
            "weir.query.paused",
            Kind.COUNTER,
            "seconds",
            "Time that ended queries were without the slot they lent",
            "front"),
    CLASSES("weir.query.classes", Kind.COUNTER, "", "Queries that were admitted and ended, by class", "class"),
    CANCELS("weir.query.cancels", Kind.COUNTER, "", "Queries cancelled, by reason", "reason"),
    CANCEL_LATENCY(
            "weir.query.cancel.latency",
            Kind.HISTOGRAM,
            "seconds",
            "Time from a cancel to an idle engine, by the state that the cancel found",
            "phase"),
    QUERY_LOG_LOST(
            "weir.query.log.lost",
            Kind.COUNTER,
            "",
            "Lines of the query log not written: its queue full or its disk failing"),

    INGEST_ROWS("weir.ingest.rows", Kind.COUNTER, "", "Rows loaded by bulk ingest", "front"),
    INGEST_BYTES("weir.ingest.received", Kind.COUNTER, "bytes", "Bytes taken by bulk ingest", "front"),
    INGEST_HELD("weir.ingest.held", Kind.GAUGE, "bytes", "Bytes of uploads that the engine has not taken yet"),

    FLIGHT_CALLS(
            "weir.flight.calls",
            Kind.COUNTER,
            "",
            "Calls of Flight SQL that ended, by gRPC status",
            "method",
            "status"),
    FLIGHT_CALL_DURATION(
            "weir.flight.call.duration",
            Kind.HISTOGRAM,
            "seconds",
            "Time from a call's headers to its end, its stream included",
            "method"),
    FLIGHT_ARROW_MEMORY(
            "weir.flight.arrow.memory",
            Kind.GAUGE,
            "bytes",
            "Arrow memory of the Flight SQL front: parameters, small answers"),
    LOGIN_FAILURES(
            "weir.login.failures",
            Kind.COUNTER,
            "",
            "Credentials that were refused; busy: too many checks at once",
            "reason"),
    CERTIFICATE_EXPIRY(
            "weir.certificate.expiry",
            Kind.GAUGE,
            "seconds",
            "Time until the certificate in force ends; missing without TLS"),

    QUERIES_RUNNING("weir.queries.running", Kind.GAUGE, "", "Queries that hold a permit and a slot"),
    QUERIES_SHORT("weir.queries.short", Kind.GAUGE, "", "Queries in the lane for short queries"),
    QUERIES_QUEUED("weir.queries.queued", Kind.GAUGE, "", "Queries that wait for a permit"),
    QUERIES_WAITING("weir.queries.waiting", Kind.GAUGE, "", "Queries that wait, by what holds them", "reason"),
    QUERIES_PAUSED("weir.queries.paused", Kind.GAUGE, "", "Queries whose slot is lent while their reader pauses"),
    QUERIES_CANCELLING(
            "weir.queries.cancelling", Kind.GAUGE, "", "Queries that were told to stop and have not stopped yet"),
    CANCELLING_AGE(
            "weir.queries.cancelling.age",
            Kind.GAUGE,
            "seconds",
            "How long ago the oldest of those that have not stopped was told to"),
    DECISIONS("weir.admission.decisions", Kind.COUNTER, "", "Decisions of admission, each as it is made", "decision"),
    REJECTIONS("weir.admission.rejections", Kind.COUNTER, "", "Queries refused by admission, by reason", "reason"),
    HELD(
            "weir.admission.held",
            Kind.GAUGE,
            "",
            "1 while nothing is started: the machine's memory is short, or no worker answers"),
    RUNNING_LIMIT("weir.admission.max.running", Kind.GAUGE, "", "The limit weir.admission.max-running in force"),
    SHORT_LIMIT("weir.admission.short.lane", Kind.GAUGE, "", "The limit weir.admission.short-lane in force"),
    QUEUED_LIMIT("weir.admission.max.queued", Kind.GAUGE, "", "The limit weir.admission.max-queued in force"),
    MEMORY_RESERVED("weir.memory.reserved", Kind.GAUGE, "bytes", "Memory reserved by running and paused queries"),
    MEMORY_BUDGET("weir.memory.budget", Kind.GAUGE, "bytes", "The limit weir.admission.memory.budget in force"),
    GROUP_RUNNING("weir.group.running", Kind.GAUGE, "", "Queries that hold a permit, by group", "group"),
    GROUP_QUEUED("weir.group.queued", Kind.GAUGE, "", "Queries that wait for a permit, by group", "group"),
    GROUP_RESERVED("weir.group.reserved", Kind.GAUGE, "bytes", "Memory reserved, by group", "group"),

    USER_QUERIES("weir.user.queries", Kind.COUNTER, "", "Queries that ended, by user and outcome", "user", "outcome"),
    USER_RUN_TIME("weir.user.run", Kind.COUNTER, "seconds", "Time that ended queries held a permit", "user"),
    USER_QUEUE_TIME("weir.user.queue", Kind.COUNTER, "seconds", "Time that ended queries waited", "user"),
    USER_BYTES("weir.user.sent", Kind.COUNTER, "bytes", "Bytes handed to the user", "user"),
    USER_RUNNING("weir.user.running", Kind.GAUGE, "", "Queries that hold a permit, by user", "user"),
    USER_QUEUED("weir.user.queued", Kind.GAUGE, "", "Queries that wait for a permit, by user", "user"),

    SESSIONS_OPEN("weir.sessions.open", Kind.GAUGE, "", "Sessions of clients"),
    SESSIONS_PINNED("weir.sessions.pinned", Kind.GAUGE, "", "Sessions that hold a connection of the engine"),
    TRANSACTIONS_OPEN("weir.transactions.open", Kind.GAUGE, "", "Transactions that their clients have not ended"),
    TRANSACTIONS_IDLED(
            "weir.transactions.idled", Kind.COUNTER, "", "Transactions ended since they were idle for too long"),
    PREPARED_STATEMENTS("weir.prepared.statements.open", Kind.GAUGE, "", "Prepared statements that are open"),

    ENGINE_OPEN_RESULTS("weir.engine.open.results", Kind.GAUGE, "", "Results of the engine that are not closed"),
    ENGINE_ACTIVE_CALLS("weir.engine.active.calls", Kind.GAUGE, "", "Engine threads inside a native call"),
    ENGINE_UNSTOPPED_CALLS(
            "weir.engine.unstopped.calls", Kind.GAUGE, "", "Cancelled calls that the engine has not stopped yet"),
    ENGINE_ARROW_MEMORY("weir.engine.arrow.memory", Kind.GAUGE, "bytes", "Arrow memory held by results"),
    ENGINE_MEMORY(
            "weir.engine.memory",
            Kind.GAUGE,
            "bytes",
            "Memory that DuckDB's buffer manager holds, here or in the child that owns the database; NaN with others"),
    ENGINE_TEMPORARY(
            "weir.engine.temporary",
            Kind.GAUGE,
            "bytes",
            "Temporary files that DuckDB holds, here or in the child that owns the database; NaN with others"),
    WORKERS("weir.workers", Kind.GAUGE, "", "Processes elsewhere that may have queries"),
    WORKER_STATE("weir.worker.state", Kind.GAUGE, "", "1 for the state that the worker is in", "worker", "state"),
    WORKER_RUNNING("weir.worker.running", Kind.GAUGE, "", "Queries that run on the worker, of all gateways", "worker"),
    WORKER_SLOTS("weir.worker.slots", Kind.GAUGE, "", "Most queries that this gateway may run on the worker", "worker"),
    WORKER_RESERVED("weir.worker.reserved", Kind.GAUGE, "bytes", "Memory promised to queries on the worker", "worker"),
    WORKER_MEMORY("weir.worker.memory", Kind.GAUGE, "bytes", "Most memory promised to queries on the worker", "worker"),
    WORKER_RETRIES("weir.worker.retries", Kind.COUNTER, "", "Queries that went to another worker than this", "worker"),
    WORKER_RESUMES(
            "weir.worker.resumes", Kind.COUNTER, "", "Broken streams that were taken up again on the worker", "worker"),
    SERVED_RUNNING("weir.served.running", Kind.GAUGE, "", "Queries under way in this worker process, of all gateways");

    /** What a meter is to Prometheus. */
    public enum Kind {
        GAUGE,
        COUNTER,
        /** Counts, sums and buckets, and a gauge of the largest value of late. */
        HISTOGRAM
    }

    private final String meterName;
    private final Kind kind;
    private final String unit;
    private final String help;

    @SuppressWarnings("ImmutableEnumChecker") // made by List.of
    private final List<String> labels;

    WeirMeter(String meterName, Kind kind, String unit, String help, String... labels) {
        this.meterName = meterName;
        this.kind = kind;
        this.unit = unit;
        this.help = help;
        this.labels = List.of(labels);
    }

    public String meterName() {
        return meterName;
    }

    public Kind kind() {
        return kind;
    }

    /** Base unit, or empty for a plain count. */
    public String unit() {
        return unit;
    }

    public String help() {
        return help;
    }

    /** Label names, each with a bounded set of values. */
    public List<String> labels() {
        return labels;
    }

    /** The name that Prometheus sees, without what a histogram adds to it. */
    public String prometheusName() {
        String name = meterName.replace('.', '_') + (unit.isEmpty() ? "" : "_" + unit);
        return kind == Kind.COUNTER ? name + "_total" : name;
    }

    /** The names of its series in Prometheus. */
    public Set<String> series() {
        String name = prometheusName();
        return kind == Kind.HISTOGRAM
                ? Set.of(name + "_bucket", name + "_count", name + "_sum", name + "_max")
                : Set.of(name);
    }
}
