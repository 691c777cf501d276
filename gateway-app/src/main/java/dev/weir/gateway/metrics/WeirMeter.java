package dev.weir.gateway.metrics;

import java.util.List;

/**
 * Every meter of the gateway: name, unit, labels and help. Prometheus sees the name with underscores, the unit, and
 * {@code _total} on counters.
 */
public enum WeirMeter {
    QUERIES_RUNNING("weir.queries.running", "", "Queries that hold a permit"),
    QUERIES_QUEUED("weir.queries.queued", "", "Queries that wait for a permit"),
    QUERIES_SHORT("weir.queries.short", "", "Queries in the lane for short queries"),
    QUERIES_PAUSED("weir.queries.paused", "", "Queries whose slot is lent while their reader pauses"),
    QUERIES_WAITING("weir.queries.waiting", "", "Queries that wait, by what holds them", "reason"),
    QUERIES_CANCELLING("weir.queries.cancelling", "", "Queries that were told to stop and have not stopped yet"),
    CANCELLING_AGE(
            "weir.queries.cancelling.age",
            "seconds",
            "How long ago the oldest of those that have not stopped was told to"),
    RUNNING_LIMIT("weir.admission.max.running", "", "The limit weir.admission.max-running"),
    SHORT_LIMIT("weir.admission.short.lane", "", "The limit weir.admission.short-lane"),
    HELD("weir.admission.held", "", "1 while nothing is started: the machine's memory is short, or no worker answers"),
    QUEUED_LIMIT("weir.admission.max.queued", "", "The limit weir.admission.max-queued"),
    MEMORY_RESERVED("weir.memory.reserved", "bytes", "Memory reserved by running queries"),
    MEMORY_BUDGET("weir.memory.budget", "bytes", "The limit weir.admission.memory.budget"),
    GROUP_RUNNING("weir.group.running", "", "Queries that hold a permit, by group", "group"),
    GROUP_QUEUED("weir.group.queued", "", "Queries that wait for a permit, by group", "group"),
    GROUP_RESERVED("weir.group.reserved", "bytes", "Memory reserved, by group", "group"),
    DECISIONS("weir.admission.decisions", "", "Decisions of admission, each as it is made", "decision"),
    PAUSED_TIME("weir.query.paused", "seconds", "Time that ended queries were without the slot they lent", "front"),
    CLASSES("weir.query.classes", "", "Queries that were admitted and ended, by class", "class"),
    QUERIES("weir.queries", "", "Queries that ended, by front and outcome", "front", "outcome"),
    ERRORS("weir.query.errors", "", "Queries that failed, by front and error code", "front", "code"),
    REJECTIONS("weir.admission.rejections", "", "Queries refused by admission, by reason", "reason"),
    CANCELS("weir.query.cancels", "", "Queries cancelled, by reason", "reason"),
    QUEUE_WAIT("weir.query.queue", "seconds", "Time from submit to admit", "front"),
    DURATION("weir.query.duration", "seconds", "Time from submit to the end", "front", "outcome"),
    CANCEL_LATENCY("weir.query.cancel.latency", "seconds", "Time from a cancel to an idle engine", "phase"),
    ROWS("weir.query.rows", "", "Rows handed to clients", "front"),
    BYTES("weir.query.sent", "bytes", "Bytes handed to clients", "front"),
    QUERY_LOG_LOST("weir.query.log.lost", "", "Lines of the query log not written: its queue full or its disk failing"),
    ENGINE_OPEN_RESULTS("weir.engine.open.results", "", "Results of the engine that are not closed"),
    ENGINE_ACTIVE_CALLS("weir.engine.active.calls", "", "Engine threads inside a native call"),
    ENGINE_UNSTOPPED_CALLS("weir.engine.unstopped.calls", "", "Cancelled calls that the engine has not stopped yet"),
    ENGINE_ARROW_MEMORY("weir.engine.arrow.memory", "bytes", "Arrow memory held by results"),
    SESSIONS_OPEN("weir.sessions.open", "", "Sessions of clients"),
    SESSIONS_PINNED("weir.sessions.pinned", "", "Sessions that hold a connection of the engine"),
    TRANSACTIONS_OPEN("weir.transactions.open", "", "Transactions that their clients have not ended"),
    TRANSACTIONS_IDLED("weir.transactions.idled", "", "Transactions ended since they were idle for too long"),
    PREPARED_STATEMENTS("weir.prepared.statements.open", "", "Prepared statements that are open"),
    WORKERS("weir.workers", "", "Processes elsewhere that may have queries"),
    WORKER_STATE("weir.worker.state", "", "1 for the state that the worker is in", "worker", "state"),
    WORKER_RUNNING("weir.worker.running", "", "Queries that run on the worker, of all gateways", "worker"),
    WORKER_SLOTS("weir.worker.slots", "", "Most queries that this gateway may run on the worker", "worker"),
    WORKER_RESERVED("weir.worker.reserved", "bytes", "Memory promised to queries on the worker", "worker"),
    WORKER_RETRIES("weir.worker.retries", "", "Queries that went to another worker than this", "worker"),
    WORKER_RESUMES("weir.worker.resumes", "", "Broken streams that were taken up again on the worker", "worker"),
    SERVED_RUNNING("weir.served.running", "", "Queries under way in this worker process, of all gateways"),
    READY("weir.ready", "", "1 when the gateway, or the worker, takes queries");

    private final String meterName;
    private final String unit;
    private final String help;

    @SuppressWarnings("ImmutableEnumChecker") // made by List.of
    private final List<String> labels;

    WeirMeter(String meterName, String unit, String help, String... labels) {
        this.meterName = meterName;
        this.unit = unit;
        this.help = help;
        this.labels = List.of(labels);
    }

    public String meterName() {
        return meterName;
    }

    /** Base unit, or empty for a plain count. */
    public String unit() {
        return unit;
    }

    public String help() {
        return help;
    }

    /** Label names, each with a small fixed set of values. */
    public List<String> labels() {
        return labels;
    }
}
