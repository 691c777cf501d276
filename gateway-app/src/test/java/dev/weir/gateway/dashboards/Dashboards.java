package dev.weir.gateway.dashboards;

import static dev.weir.gateway.dashboards.Dashboard.query;

import java.util.List;

/** What Weir's dashboards show. The files are made of this by {@code DashboardsTest}. */
final class Dashboards {

    private static final String P50 = "0.5";
    private static final String P95 = "0.95";
    private static final String P99 = "0.99";

    private Dashboards() {}

    static List<Dashboard> all() {
        return List.of(overview(), admission(), engines(), users(), jvm());
    }

    private static Dashboard.Query quantile(String q, String histogram, String by) {
        String labels = by.isEmpty() ? "le" : by + ", le";
        String legend = "p" + q.substring(2).replaceAll("^5$", "50") + (by.isEmpty() ? "" : " {{" + by + "}}");
        return query(
                "histogram_quantile(" + q + ", sum by (" + labels + ") (rate(" + histogram + "_bucket{@}[@])))",
                legend);
    }

    private static Dashboard overview() {
        return new Dashboard("weir-overview", "Weir: overview")
                .row("Now", 6)
                .number("Ready", "none", "Gateways and workers that take queries.", query("sum(weir_ready{@})", ""))
                .number("Running", "none", "Queries that hold a slot.", query("sum(weir_queries_running{@})", ""))
                .number("Waiting", "none", "Queries that wait for a slot.", query("sum(weir_queries_queued{@})", ""))
                .number(
                        "Queries per second",
                        "reqps",
                        "Queries that ended, however they did.",
                        query("sum(rate(weir_queries_total{@}[@]))", ""))
                .number(
                        "Failed",
                        "percentunit",
                        "Share of queries that failed, for whatever reason.",
                        query(
                                "sum(rate(weir_queries_total{@,outcome=\"failed\"}[@]))"
                                        + " / clamp_min(sum(rate(weir_queries_total{@}[@])), 0.001)",
                                ""))
                .number(
                        "Certificate ends in",
                        "s",
                        "The soonest of all gateways.",
                        query("min(weir_certificate_expiry_seconds{@})", ""))
                .row("Queries", 3)
                .lines(
                        "Rate",
                        "reqps",
                        "Queries that ended, by front and outcome.",
                        query("sum by (front, outcome) (rate(weir_queries_total{@}[@]))", "{{front}} {{outcome}}"))
                .lines(
                        "Errors",
                        "reqps",
                        "Failures by code; docs/http-api.md says what each means.",
                        query("sum by (code) (rate(weir_query_errors_total{@}[@])) > 0", "{{code}}"),
                        query("sum(rate(weir_query_errors_total{@}[@]))", "all"))
                .lines(
                        "Time from submit to the end",
                        "s",
                        "Quantiles over the buckets of the histogram, waits included.",
                        quantile(P50, "weir_query_duration_seconds", ""),
                        quantile(P95, "weir_query_duration_seconds", ""),
                        quantile(P99, "weir_query_duration_seconds", ""))
                .lines(
                        "Wait for a slot",
                        "s",
                        "Time from submit to admit.",
                        quantile(P50, "weir_query_queue_seconds", ""),
                        quantile(P95, "weir_query_queue_seconds", ""))
                .lines(
                        "Sent",
                        "Bps",
                        "Bytes handed to clients, by front and format.",
                        query(
                                "sum by (front, format) (rate(weir_query_sent_bytes_total{@}[@]))",
                                "{{front}} {{format}}"))
                .lines(
                        "Rows",
                        "rowsps",
                        "Rows handed to clients, and loaded.",
                        query("sum by (format) (rate(weir_query_rows_total{@}[@]))", "{{format}}"),
                        query("sum(rate(weir_ingest_rows_total{@}[@]))", "loaded"))
                .row("Fronts", 3)
                .lines(
                        "HTTP calls",
                        "reqps",
                        "Calls by status; those of the management port among them.",
                        query("sum by (status) (rate(http_server_requests_seconds_count{@}[@]))", "{{status}}"))
                .lines(
                        "Flight SQL calls",
                        "reqps",
                        "Calls by gRPC status.",
                        query("sum by (status) (rate(weir_flight_calls_total{@}[@]))", "{{status}}"))
                .lines(
                        "Time of calls, p95",
                        "s",
                        "Streams count until their end.",
                        quantile(P95, "http_server_requests_seconds", ""),
                        quantile(P95, "weir_flight_call_duration_seconds", "method"))
                .row("Safety", 3)
                .lines(
                        "Cancels",
                        "reqps",
                        "By whom or what.",
                        query("sum by (reason) (rate(weir_query_cancels_total{@}[@]))", "{{reason}}"))
                .lines(
                        "Time from a cancel to an idle engine, p95",
                        "s",
                        "By the state in which the cancel found the query.",
                        quantile(P95, "weir_query_cancel_latency_seconds", "phase"))
                .lines(
                        "Refused credentials",
                        "reqps",
                        "By reason.",
                        query("sum by (reason) (rate(weir_login_failures_total{@}[@]))", "{{reason}}"));
    }

    private static Dashboard admission() {
        return new Dashboard("weir-admission", "Weir: admission and fairness")
                .row("Slots", 3)
                .lines(
                        "Running",
                        "none",
                        "Queries with a slot, those of the lane for short ones, and the limits.",
                        query("sum(weir_queries_running{@})", "running"),
                        query("sum(weir_queries_short{@})", "short"),
                        query("sum(weir_admission_max_running{@})", "max-running"),
                        query("sum(weir_admission_short_lane{@})", "short-lane"))
                .lines(
                        "Waiting",
                        "none",
                        "Queries in the queue, and its limit.",
                        query("sum(weir_queries_queued{@})", "waiting"),
                        query("sum(weir_admission_max_queued{@})", "max-queued"))
                .lines(
                        "What holds them",
                        "none",
                        "Waiting queries by the limit that holds them.",
                        query("sum by (reason) (weir_queries_waiting{@})", "{{reason}}"))
                .lines(
                        "Decisions",
                        "ops",
                        "Each decision as it is made.",
                        query("sum by (decision) (rate(weir_admission_decisions_total{@}[@]))", "{{decision}}"))
                .lines(
                        "Refused",
                        "ops",
                        "Queries refused by admission.",
                        query("sum by (reason) (rate(weir_admission_rejections_total{@}[@]))", "{{reason}}"))
                .lines(
                        "Classes",
                        "ops",
                        "What queries were taken for when they were admitted.",
                        query("sum by (class) (rate(weir_query_classes_total{@}[@]))", "{{class}}"))
                .row("Memory", 3)
                .lines(
                        "Reserved",
                        "bytes",
                        "Promised to queries, and the budget.",
                        query("sum(weir_memory_reserved_bytes{@})", "reserved"),
                        query("sum(weir_memory_budget_bytes{@})", "budget"))
                .lines(
                        "Nothing is started",
                        "none",
                        "1 while memory is short or no worker answers; draining: 1 during a drain.",
                        query("max by (instance) (weir_admission_held{@})", "held {{instance}}"),
                        query("max by (instance) (weir_draining{@})", "draining {{instance}}"))
                .lines(
                        "Ended for memory or time",
                        "ops",
                        "Queries that failed by a limit while they ran.",
                        query(
                                "sum by (code) (rate(weir_query_errors_total{@,"
                                        + "code=~\"memory_limit|statement_timeout|client_stalled\"}[@]))",
                                "{{code}}"))
                .row("Readers", 3)
                .lines(
                        "Paused",
                        "none",
                        "Queries whose slot is lent while their reader pauses.",
                        query("sum(weir_queries_paused{@})", "paused"))
                .lines(
                        "Time without a slot",
                        "s",
                        "Seconds per second that queries were paused, by front.",
                        query("sum by (front) (rate(weir_query_paused_seconds_total{@}[@]))", "{{front}}"))
                .lines(
                        "Being cancelled",
                        "s",
                        "How long ago the oldest was told to stop; 0 when none is.",
                        query("max by (instance) (weir_queries_cancelling_age_seconds{@})", "{{instance}}"))
                .row("Groups", 3)
                .lines(
                        "Running by group",
                        "none",
                        "Queries with a slot.",
                        query("sum by (group) (weir_group_running{@})", "{{group}}"))
                .lines(
                        "Waiting by group",
                        "none",
                        "Queries in the queue.",
                        query("sum by (group) (weir_group_queued{@})", "{{group}}"))
                .lines(
                        "Reserved by group",
                        "bytes",
                        "Memory promised to queries.",
                        query("sum by (group) (weir_group_reserved_bytes{@})", "{{group}}"));
    }

    private static Dashboard engines() {
        return new Dashboard("weir-engines", "Weir: engines and workers")
                .row("Engine", 3)
                .lines(
                        "Calls inside the engine",
                        "none",
                        "Threads in native code, and cancelled calls that did not stop yet.",
                        query("sum by (instance) (weir_engine_active_calls{@})", "active {{instance}}"),
                        query("sum by (instance) (weir_engine_unstopped_calls{@})", "unstopped {{instance}}"))
                .lines(
                        "Open results",
                        "none",
                        "Results that are not closed.",
                        query("sum by (instance) (weir_engine_open_results{@})", "{{instance}}"))
                .lines(
                        "Memory",
                        "bytes",
                        "What DuckDB's buffer manager holds in this process, and Arrow memory of results.",
                        query("sum by (instance) (weir_engine_memory_bytes{@})", "DuckDB {{instance}}"),
                        query("sum by (instance) (weir_engine_arrow_memory_bytes{@})", "Arrow {{instance}}"))
                .lines(
                        "Temporary files",
                        "bytes",
                        "What DuckDB spilled.",
                        query("sum by (instance) (weir_engine_temporary_bytes{@})", "{{instance}}"))
                .lines(
                        "Uploads",
                        "Bps",
                        "Bytes taken by bulk ingest.",
                        query("sum by (front) (rate(weir_ingest_received_bytes_total{@}[@]))", "{{front}}"))
                .lines(
                        "Uploads held",
                        "bytes",
                        "Bytes that the engine has not taken yet.",
                        query("sum by (instance) (weir_ingest_held_bytes{@})", "{{instance}}"))
                .row("Workers", 3)
                .number(
                        "Workers",
                        "none",
                        "Processes elsewhere that may have queries; 0 where the gateway runs them itself.",
                        query("max(weir_workers{@})", ""))
                .lines(
                        "State",
                        "none",
                        "Gateways that see a worker in a state.",
                        query("sum by (worker, state) (weir_worker_state{@}) > 0", "{{worker}} {{state}}"))
                .lines(
                        "Queries served",
                        "none",
                        "In worker processes, of all gateways.",
                        query("sum by (instance) (weir_served_running{@})", "{{instance}}"))
                .lines(
                        "Running",
                        "none",
                        "Queries on a worker, and the slots that one gateway has there.",
                        query("max by (worker) (weir_worker_running{@})", "running {{worker}}"),
                        query("max by (worker) (weir_worker_slots{@})", "slots {{worker}}"))
                .lines(
                        "Reserved",
                        "bytes",
                        "Memory promised to queries on a worker, and the most.",
                        query("max by (worker) (weir_worker_reserved_bytes{@})", "reserved {{worker}}"),
                        query("max by (worker) (weir_worker_memory_bytes{@})", "memory {{worker}}"))
                .lines(
                        "Retries and resumes",
                        "ops",
                        "Queries that went to another worker, streams that were taken up again.",
                        query("sum by (worker) (rate(weir_worker_retries_total{@}[@]))", "retries {{worker}}"),
                        query("sum by (worker) (rate(weir_worker_resumes_total{@}[@]))", "resumes {{worker}}"));
    }

    private static Dashboard users() {
        return new Dashboard("weir-users", "Weir: users")
                .row("Users of late; the rest is \"other\" (weir.management.metrics-users)", 2)
                .lines(
                        "Queries",
                        "reqps",
                        "Queries that ended, the ten busiest users.",
                        query("topk(10, sum by (user) (rate(weir_user_queries_total{@}[@])))", "{{user}}"))
                .lines(
                        "Failed or cancelled",
                        "reqps",
                        "Queries that did not finish.",
                        query(
                                "topk(10, sum by (user, outcome)"
                                        + " (rate(weir_user_queries_total{@,outcome!=\"finished\"}[@])))",
                                "{{user}} {{outcome}}"))
                .lines(
                        "Share of slots",
                        "none",
                        "Seconds with a permit per second: slots held on average, counted when a query ends.",
                        query("topk(10, sum by (user) (rate(weir_user_run_seconds_total{@}[@])))", "{{user}}"))
                .lines(
                        "Time waited",
                        "none",
                        "Seconds in the queue per second: queries waiting on average, counted when a query ends.",
                        query("topk(10, sum by (user) (rate(weir_user_queue_seconds_total{@}[@])))", "{{user}}"))
                .lines(
                        "Running",
                        "none",
                        "Queries with a permit now.",
                        query("topk(10, sum by (user) (weir_user_running{@}))", "{{user}}"))
                .lines(
                        "Waiting",
                        "none",
                        "Queries in the queue now.",
                        query("topk(10, sum by (user) (weir_user_queued{@}))", "{{user}}"))
                .lines(
                        "Sent",
                        "Bps",
                        "Bytes handed to the user.",
                        query("topk(10, sum by (user) (rate(weir_user_sent_bytes_total{@}[@])))", "{{user}}"))
                .lines(
                        "Sessions",
                        "none",
                        "Open ones and what they hold; transactions that were idle for too long, per hour.",
                        query("sum(weir_sessions_open{@})", "sessions"),
                        query("sum(weir_sessions_pinned{@})", "with a connection"),
                        query("sum(weir_transactions_open{@})", "transactions"),
                        query("sum(weir_prepared_statements_open{@})", "prepared statements"),
                        query("3600 * sum(rate(weir_transactions_idled_total{@}[@]))", "ended while idle"));
    }

    private static Dashboard jvm() {
        return new Dashboard("weir-jvm", "Weir: JVM and process")
                .row("Process", 3)
                .lines(
                        "CPU",
                        "percentunit",
                        "Share of the machine's cores.",
                        query("process_cpu_usage{@}", "process {{instance}}"),
                        query("system_cpu_usage{@}", "system {{instance}}"))
                .lines(
                        "Open files",
                        "none",
                        "Descriptors, and their limit.",
                        query("process_files_open_files{@}", "open {{instance}}"),
                        query("process_files_max_files{@}", "limit {{instance}}"))
                .lines("Up", "s", "Time since the start.", query("process_uptime_seconds{@}", "{{instance}}"))
                .row("Memory", 3)
                .lines(
                        "Heap",
                        "bytes",
                        "Used and most.",
                        query("sum by (instance) (jvm_memory_used_bytes{@,area=\"heap\"})", "used {{instance}}"),
                        query("sum by (instance) (jvm_memory_max_bytes{@,area=\"heap\"})", "max {{instance}}"))
                .lines(
                        "Beside the heap",
                        "bytes",
                        "Code and classes; direct buffers.",
                        query("sum by (instance) (jvm_memory_used_bytes{@,area=\"nonheap\"})", "non-heap {{instance}}"),
                        query("sum by (instance) (jvm_buffer_memory_used_bytes{@})", "buffers {{instance}}"))
                .lines(
                        "Arrow of the fronts",
                        "bytes",
                        "Parameters and small answers of Flight SQL.",
                        query("weir_flight_arrow_memory_bytes{@}", "{{instance}}"))
                .row("Pauses and threads", 3)
                .lines(
                        "Garbage collection",
                        "percentunit",
                        "Share of time in pauses.",
                        query("sum by (instance) (rate(jvm_gc_pause_seconds_sum{@}[@]))", "{{instance}}"))
                .lines(
                        "Allocation",
                        "Bps",
                        "Bytes allocated in the heap.",
                        query("rate(jvm_gc_memory_allocated_bytes_total{@}[@])", "{{instance}}"))
                .lines("Threads", "none", "Live threads.", query("jvm_threads_live_threads{@}", "{{instance}}"))
                .row("Logs", 2)
                .lines(
                        "Log lines",
                        "ops",
                        "By level.",
                        query("sum by (level) (rate(logback_events_total{@}[@]))", "{{level}}"))
                .lines(
                        "Lines of the query log lost",
                        "ops",
                        "Its queue was full, or its disk failed.",
                        query("sum by (instance) (rate(weir_query_log_lost_total{@}[@]))", "{{instance}}"));
    }
}
