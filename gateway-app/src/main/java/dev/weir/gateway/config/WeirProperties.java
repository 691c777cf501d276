package dev.weir.gateway.config;

import dev.weir.gateway.query.BufferCompression;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Everything that can be configured. Unknown keys under {@code weir} stop the start.
 *
 * @param dataDir directory that holds the users file, certificate, keys, temp files and results
 * @param http the HTTP front
 * @param flight the Flight SQL front
 * @param management health and metrics
 * @param tls certificates for both fronts
 * @param auth users and tokens
 * @param admission limits
 * @param engine the engine behind the gateway
 * @param session sessions of clients
 * @param results results that are stored, or read in parts
 * @param queryLog one line for each query
 * @param shutdown the end
 * @param tracing spans of queries
 * @param workers processes elsewhere that run the queries, as weir.workers[0].uri (grpc+tls://host:port), .name, .slots,
 *     .memory, .tls.ca and .tls.server-name; without any the gateway runs them itself
 * @param cluster what gateways and workers share
 * @param worker a worker process
 */
@ConfigurationProperties(prefix = "weir", ignoreUnknownFields = false)
public record WeirProperties(
        @DefaultValue("./data") Path dataDir,
        @DefaultValue Http http,
        @DefaultValue Flight flight,
        @DefaultValue Management management,
        @DefaultValue Tls tls,
        @DefaultValue Auth auth,
        @DefaultValue Admission admission,
        @DefaultValue Engine engine,
        @DefaultValue Session session,
        @DefaultValue Results results,
        @DefaultValue QueryLog queryLog,
        @DefaultValue Shutdown shutdown,
        @DefaultValue @NestedConfigurationProperty TracingProperties tracing,
        @DefaultValue List<WorkerProperties> workers,
        @DefaultValue @NestedConfigurationProperty ClusterProperties cluster,
        @DefaultValue @NestedConfigurationProperty WorkerProcessProperties worker) {

    /**
     * The HTTP front.
     *
     * @param port TCP port; 0 takes a free one
     * @param address address to listen on; empty for all
     * @param maxBodySize largest request body
     */
    public record Http(
            @DefaultValue("8080") int port,
            @DefaultValue("") String address,
            @DefaultValue("4MB") DataSize maxBodySize) {}

    /**
     * The Flight SQL front.
     *
     * @param port TCP port; 0 takes a free one
     * @param address address to listen on; empty for all
     * @param maxInboundMessageSize largest gRPC message accepted
     * @param maxHeaderSize largest request headers accepted
     * @param ticketTimeToLive how long a ticket can be redeemed
     * @param pollTimeout how long a query submitted by PollFlightInfo waits in the queue while its client does not poll
     * @param claimTimeout how long a query submitted by PollFlightInfo keeps its slot while its client stays away: does
     *     not poll while it runs, does not read the result once it is open
     * @param maxPreparedStatements open prepared statements of one user
     * @param preparedStatementTimeToLive an unused prepared statement is closed after this
     * @param sessionTimeToLive an unused session is closed after this
     * @param partitions endpoints over which a result comes when its client does not ask for a number with
     *     {@code weir-partitions}; some clients refuse more than one
     * @param compression of the buffers of a result whose client does not ask for one with {@code weir-compression}:
     *     {@code none}, {@code zstd} or {@code lz4}; some clients, the JDBC driver among them, can read none
     */
    public record Flight(
            @DefaultValue("31337") int port,
            @DefaultValue("") String address,
            @DefaultValue("64MB") DataSize maxInboundMessageSize,
            @DefaultValue("32KB") DataSize maxHeaderSize,
            @DefaultValue("10m") Duration ticketTimeToLive,
            @DefaultValue("1m") Duration pollTimeout,
            @DefaultValue("10s") Duration claimTimeout,
            @DefaultValue("1000") int maxPreparedStatements,
            @DefaultValue("1h") Duration preparedStatementTimeToLive,
            @DefaultValue("1h") Duration sessionTimeToLive,
            @DefaultValue("1") int partitions,
            @DefaultValue("none") BufferCompression compression) {}

    /**
     * Health and metrics.
     *
     * @param port TCP port; 0 takes a free one
     * @param address address to listen on; loopback is served in plaintext, anything else with TLS
     * @param metricsAnonymous serve metrics without credentials
     * @param metricsUsers users with meters of their own, those of late; the rest together is "other"
     */
    public record Management(
            @DefaultValue("9090") int port,
            @DefaultValue("127.0.0.1") String address,
            @DefaultValue("false") boolean metricsAnonymous,
            @DefaultValue("20") int metricsUsers) {}

    /**
     * Certificates. Without one, a self-signed certificate is made at the first start.
     *
     * @param enabled serve both fronts with TLS; by default unless allow-plaintext is true. False needs loopback
     *     addresses or allow-plaintext
     * @param certificate PEM file with the certificate chain
     * @param privateKey PEM file with the PKCS#8 key of the certificate
     * @param clientCa PEM file with the authorities whose client certificates are accepted as identities
     * @param allowPlaintext allow plaintext off loopback, too; passwords and results then cross the network unprotected
     */
    public record Tls(
            @Nullable Boolean enabled,
            @Nullable Path certificate,
            @Nullable Path privateKey,
            @Nullable Path clientCa,
            @DefaultValue("false") boolean allowPlaintext) {

        /** Whether the fronts speak TLS. */
        boolean active() {
            return enabled == null ? !allowPlaintext : enabled;
        }
    }

    /**
     * Users and tokens.
     *
     * @param usersFile the users file; by default users.yaml in the data directory
     * @param tokenKeyFile file with the 32 bytes that bearers and tickets are signed with, the same for all replicas; by
     *     default keys/token.key in the data directory, made at the first start
     * @param bearerTimeToLive how long an issued bearer is valid
     */
    public record Auth(
            @Nullable Path usersFile,
            @Nullable Path tokenKeyFile,
            @DefaultValue("12h") Duration bearerTimeToLive) {}

    /**
     * Limits.
     *
     * @param maxRunning queries that run at once; by default twice the cores
     * @param maxQueued queries that wait at once
     * @param shortLane slots beside max-running for short queries only, 0 for none; by default twice the cores
     * @param shortQuery a query expected to run no longer than this is short, and one that runs longer leaves the lane
     * @param maxPaused queries whose slot may be lent while their reader pauses; by default four times max-running
     * @param queueTimeout longest wait, from submit to admit
     * @param statementTimeout longest run, from admit to the last batch delivered
     * @param clientStallTimeout a reader that takes less than one batch or 1 MiB in this time ends its query
     * @param describeTimeout longest time to describe a statement
     * @param rate queries that may be submitted, of all users together
     * @param memory reservations, and the guard of the machine's memory
     * @param user limits of each user
     * @param groups limits by group; missing values come from those of all
     */
    public record Admission(
            @Nullable Integer maxRunning,
            @DefaultValue("1000") int maxQueued,
            @Nullable Integer shortLane,
            @DefaultValue("250ms") Duration shortQuery,
            @Nullable Integer maxPaused,
            @DefaultValue("60s") Duration queueTimeout,
            @DefaultValue("10m") Duration statementTimeout,
            @DefaultValue("60s") Duration clientStallTimeout,
            @DefaultValue("30s") Duration describeTimeout,
            @DefaultValue Rate rate,
            @DefaultValue Memory memory,
            @DefaultValue User user,
            @DefaultValue Map<String, Group> groups) {

        /**
         * How often queries may be submitted.
         *
         * @param requests queries in each period; without it as many as one likes
         * @param period time in which so many may come; by default 1s
         * @param burst queries that may come at once after a pause; by default as many as requests
         */
        public record Rate(
                @Nullable Long requests,
                @Nullable Duration period,
                @Nullable Long burst) {}

        /**
         * Memory reservations, and the guard of the machine's memory.
         *
         * @param budget sum of all reservations and the engine's memory limit; by default 0.6 of the container or machine
         * @param perQuery reservation of a query that asks for none; by default the budget divided by
         *     max-running + short-lane / 2, since those in the lane reserve a quarter. Where the engine holds each query
         *     to its reservation and measures its memory, a statement that was measured to need less reserves less
         * @param maxPerQuery largest reservation a query may ask for; by default the budget
         * @param highWater share of the container's or machine's memory above which nothing is started and the newest
         *     queries are cancelled
         */
        public record Memory(
                @Nullable DataSize budget,
                @Nullable DataSize perQuery,
                @Nullable DataSize maxPerQuery,
                @DefaultValue("0.9") double highWater) {}

        /**
         * Limits of each user.
         *
         * @param maxRunning queries of one user that run at once; by default half of max-running, at least 1
         * @param maxQueued queries of one user that wait at once
         * @param maxPaused queries of one user that may be paused; by default a quarter of max-paused, at least 1
         * @param rate queries that one user may submit
         */
        public record User(
                @Nullable Integer maxRunning,
                @DefaultValue("100") int maxQueued,
                @Nullable Integer maxPaused,
                @DefaultValue Rate rate) {}

        /**
         * Limits of a group. What is missing comes from the limits of all, but the rate: a group without one has none of
         * its own.
         *
         * @param maxRunning queries of the group that run at once
         * @param maxQueued queries of the group that wait at once
         * @param weight share of the time that queries run while others want it too
         * @param queueTimeout longest wait
         * @param statementTimeout longest run
         * @param clientStallTimeout a reader that takes less than one batch or 1 MiB in this time ends its query
         * @param memory reservations
         * @param rate queries that its users together may submit
         * @param user limits of each of its users
         */
        public record Group(
                @Nullable Integer maxRunning,
                @Nullable Integer maxQueued,
                @DefaultValue("1") double weight,
                @Nullable Duration queueTimeout,
                @Nullable Duration statementTimeout,
                @Nullable Duration clientStallTimeout,
                @DefaultValue GroupMemory memory,
                @DefaultValue Rate rate,
                @DefaultValue GroupUser user) {}

        /**
         * Memory reservations of a group.
         *
         * @param budget sum of the group's reservations
         * @param perQuery reservation of a query that asks for none
         * @param maxPerQuery largest reservation a query may ask for
         */
        public record GroupMemory(
                @Nullable DataSize budget,
                @Nullable DataSize perQuery,
                @Nullable DataSize maxPerQuery) {}

        /**
         * Limits of each user of a group.
         *
         * @param maxRunning queries of one user that run at once
         * @param maxQueued queries of one user that wait at once
         * @param maxPaused queries of one user that may be paused
         * @param rate queries that one user may submit
         */
        public record GroupUser(
                @Nullable Integer maxRunning,
                @Nullable Integer maxQueued,
                @Nullable Integer maxPaused,
                @DefaultValue Rate rate) {}
    }

    /**
     * The engine behind the gateway.
     *
     * @param duckdb DuckDB on this machine
     */
    public record Engine(@DefaultValue DuckDb duckdb) {

        /** How the database is opened. */
        public enum DatabaseAccess {
            READ_WRITE,
            READ_ONLY
        }

        /** Where queries run. */
        public enum Isolation {
            /** One instance for all queries. */
            SHARED,
            /** A process for each query, with a limit of its own; for read-only data. */
            PROCESS
        }

        /** Which process holds the one instance that all queries share. */
        public enum Owner {
            /** The gateway's own. */
            GATEWAY,
            /** A child of the gateway, started anew when it crashes. */
            CHILD
        }

        /**
         * DuckDB on this machine.
         *
         * @param database the database file; without one an in-memory database is used
         * @param access read-write or read-only
         * @param isolation shared: one instance for all queries; process: a process for each query with a hard limit of
         *     its own (weir.admission.memory.per-query), for files and databases that are read-only
         * @param process under isolation=shared, where the instance is: gateway or child, a process that is started anew
         *     when it crashes
         * @param processHeap Java heap of the child under process=child; results are not in it
         * @param processes under isolation=process, most queries at once; by default as many as memory.per-query fits into
         *     memory.budget, at most max-running + max-paused
         * @param warmProcesses under isolation=process, processes kept ready or in use; by default max-running, at most
         *     processes
         * @param allowedDirectories directories that statements may read files from
         * @param parquetViews views by name over directories of Parquet files
         * @param initSql statements run at the start, before the configuration is locked
         * @param threads DuckDB's threads; by default the cores
         * @param maxTempSize limit of temporary files, of all processes together; 0B for none
         */
        public record DuckDb(
                @Nullable Path database,
                @DefaultValue("read-write") DatabaseAccess access,
                @DefaultValue("shared") Isolation isolation,
                @DefaultValue("gateway") Owner process,
                @DefaultValue("256MB") DataSize processHeap,
                @Nullable Integer processes,
                @Nullable Integer warmProcesses,
                @DefaultValue List<Path> allowedDirectories,
                @DefaultValue Map<String, Path> parquetViews,
                @DefaultValue List<String> initSql,
                @Nullable Integer threads,
                @DefaultValue("10GB") DataSize maxTempSize) {}
    }

    /**
     * Sessions of clients, and the transactions in them.
     *
     * @param idleInTransactionTimeout a transaction without a statement for this long is rolled back
     * @param maxPerUser open sessions of one user; each connection of a driver is one
     */
    public record Session(
            @DefaultValue("5m") Duration idleInTransactionTimeout,
            @DefaultValue("100") int maxPerUser) {}

    /**
     * Results that are stored, or read in parts.
     *
     * @param timeToLive a stored result is deleted this long after it is complete
     * @param maxBytesPerUser spooled bytes of one user
     * @param minFreeDisk spooling stops when less than this is free on the data directory's disk
     * @param maxPartitions most partitions of one result, on either front
     */
    public record Results(
            @DefaultValue("1h") Duration timeToLive,
            @DefaultValue("10GB") DataSize maxBytesPerUser,
            @DefaultValue("1GB") DataSize minFreeDisk,
            @DefaultValue("32") int maxPartitions) {}

    /**
     * One line for each query.
     *
     * @param file the query log; by default log/queries.jsonl in the data directory. Empty: lines go to the ordinary log
     * @param maxSize the file is rotated when it has reached this size
     * @param maxFiles rotated files kept beside the current one
     */
    public record QueryLog(
            @Nullable String file,
            @DefaultValue("50MB") DataSize maxSize,
            @DefaultValue("10") int maxFiles) {}

    /**
     * The end.
     *
     * @param grace how long open streams may go on after a stop was asked for
     */
    public record Shutdown(@DefaultValue("30s") Duration grace) {}
}
