package dev.weir.gateway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import dev.weir.admission.AdmissionController;
import dev.weir.engine.EngineStats;
import dev.weir.engine.QueryEngine;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.arrow.flight.CallHeaders;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.CancelFlightInfoRequest;
import org.apache.arrow.flight.CancelStatus;
import org.apache.arrow.flight.FlightCallHeaders;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightEndpoint;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.HeaderCallOption;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementQuery;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One result over several endpoints of the Flight SQL front. */
class PartitionsTest {

    private static final int ROWS = 400_000;
    private static final String SQL = "select i from range(" + ROWS + ") t(i)";

    @TempDir
    static Path directory;

    private static TestGateway gateway;
    private static BufferAllocator allocator;
    private static FlightClient client;
    private static CredentialCallOption bearer;

    @BeforeAll
    static void start() throws Exception {
        gateway = TestGateway.start(directory, "--weir.admission.client-stall-timeout=2s");
        allocator = new RootAllocator();
        client = gateway.flight(allocator);
        bearer = client.authenticateBasicToken(TestGateway.READER, TestGateway.PASSWORD)
                .orElseThrow();
    }

    @AfterAll
    static void stop() throws Exception {
        client.close();
        allocator.close();
        gateway.close();
    }

    @AfterEach
    void nothingIsLeft() {
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            assertThat(gateway.bean(AdmissionController.class).snapshot().running())
                    .isZero();
            assertThat(gateway.bean(QueryEngine.class).stats()).isEqualTo(new EngineStats(0, 0, 0, 0));
        });
    }

    private static CallOption options(String... namesAndValues) {
        CallHeaders headers = new FlightCallHeaders();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            headers.insert(namesAndValues[i], namesAndValues[i + 1]);
        }
        return new HeaderCallOption(headers);
    }

    private static FlightInfo info(String sql, String... options) {
        Any command = Any.pack(CommandStatementQuery.newBuilder()
                .setQueryBytes(ByteString.copyFromUtf8(sql))
                .build());
        return client.getInfo(FlightDescriptor.command(command.toByteArray()), bearer, options(options));
    }

    private static FlightStream stream(FlightEndpoint endpoint) {
        return client.getStream(endpoint.getTicket(), bearer);
    }

    private static FlightStatusCode codeOf(Runnable call) {
        try {
            call.run();
        } catch (FlightRuntimeException e) {
            return e.status().code();
        }
        return FlightStatusCode.OK;
    }

    /** Count and sum of what one endpoint gives, read in a random rhythm. */
    private static void read(FlightEndpoint endpoint, Random random, AtomicLong count, AtomicLong sum)
            throws Exception {
        if (random.nextInt(3) == 0) {
            TimeUnit.MILLISECONDS.sleep(random.nextInt(40));
        }
        try (FlightStream stream = stream(endpoint)) {
            while (stream.next()) {
                BigIntVector vector = (BigIntVector) stream.getRoot().getVector(0);
                for (int i = 0; i < vector.getValueCount(); i++) {
                    sum.addAndGet(vector.get(i));
                }
                count.addAndGet(vector.getValueCount());
                if (random.nextInt(4) == 0) {
                    TimeUnit.MILLISECONDS.sleep(random.nextInt(5));
                }
            }
        }
    }

    @Test
    void eachRowArrivesExactlyOnce() throws Exception {
        long seed = Long.getLong("weir.seed", System.nanoTime());
        System.out.println("PartitionsTest seed " + seed);
        Random random = new Random(seed);
        ExecutorService readers = Executors.newCachedThreadPool();
        try {
            for (int run = 0; run < 60; run++) {
                int partitions = 2 + random.nextInt(7);
                FlightInfo info = info(SQL, "weir-partitions", Integer.toString(partitions));
                assertThat(info.getEndpoints()).hasSize(partitions);
                List<FlightEndpoint> endpoints = new ArrayList<>(info.getEndpoints());
                Collections.shuffle(endpoints, random);
                AtomicLong count = new AtomicLong();
                AtomicLong sum = new AtomicLong();
                int atOnce = 1 + random.nextInt(partitions);
                List<Future<?>> parts = new ArrayList<>();
                for (int i = 0; i < atOnce; i++) {
                    int first = i;
                    Random own = new Random(random.nextLong());
                    parts.add(readers.submit(() -> {
                        for (int next = first; next < endpoints.size(); next += atOnce) {
                            read(endpoints.get(next), own, count, sum);
                        }
                        return null;
                    }));
                }
                for (Future<?> part : parts) {
                    part.get(60, TimeUnit.SECONDS);
                }
                assertThat(count).as("seed %d, run %d", seed, run).hasValue(ROWS);
                assertThat(sum).as("seed %d, run %d", seed, run).hasValue((long) ROWS * (ROWS - 1) / 2);
            }
        } finally {
            readers.shutdownNow();
        }
    }

    @Test
    void compressedPartitionsHoldEveryRow() throws Exception {
        FlightInfo info = info(SQL, "weir-partitions", "3", "weir-compression", "zstd");
        assertThat(info.getEndpoints()).hasSize(3);
        AtomicLong count = new AtomicLong();
        AtomicLong sum = new AtomicLong();
        for (FlightEndpoint endpoint : info.getEndpoints()) {
            read(endpoint, new Random(1), count, sum);
        }
        assertThat(count).hasValue(ROWS);
        assertThat(sum).hasValue((long) ROWS * (ROWS - 1) / 2);
    }

    @Test
    void anOrderStaysOneStreamUnlessBatchesAreNumbered() throws Exception {
        String ordered = "select i from range(" + ROWS + ") t(i) order by i desc";
        assertThat(info(ordered, "weir-partitions", "4").getEndpoints()).hasSize(1);
        FlightInfo info = info(ordered, "weir-partitions", "4", "weir-batch-numbers", "true");
        assertThat(info.getEndpoints()).hasSize(4);
        List<List<Long>> batches = new ArrayList<>();
        for (FlightEndpoint endpoint : info.getEndpoints()) {
            try (FlightStream stream = stream(endpoint)) {
                while (stream.next()) {
                    byte[] digits = new byte[(int) stream.getLatestMetadata().readableBytes()];
                    stream.getLatestMetadata().getBytes(0, digits);
                    int number = Integer.parseInt(new String(digits, StandardCharsets.US_ASCII));
                    while (batches.size() <= number) {
                        batches.add(new ArrayList<>());
                    }
                    BigIntVector vector = (BigIntVector) stream.getRoot().getVector(0);
                    for (int i = 0; i < vector.getValueCount(); i++) {
                        batches.get(number).add(vector.get(i));
                    }
                }
            }
        }
        List<Long> all = batches.stream().flatMap(List::stream).toList();
        assertThat(all).hasSize(ROWS).isSortedAccordingTo(Collections.reverseOrder());
    }

    @Test
    void whatChangesDataOrIsAskedForOnceStaysOneStream() {
        assertThat(info(SQL).getEndpoints()).hasSize(1);
        assertThat(info("explain " + SQL, "weir-partitions", "4").getEndpoints())
                .hasSize(1);
        assertThat(info("(select 1 order by 1)", "weir-partitions", "4").getEndpoints())
                .hasSize(1);
        assertThat(info("select list(i order by i) from range(9) t(i)", "weir-partitions", "4")
                        .getEndpoints())
                .hasSize(4);
        assertThatThrownBy(() -> info(SQL, "weir-partitions", "33"))
                .isInstanceOfSatisfying(
                        FlightRuntimeException.class,
                        failure -> assertThat(failure.status().code()).isEqualTo(FlightStatusCode.INVALID_ARGUMENT))
                .hasMessageContaining("weir.results.max-partitions");
        for (String wrong : List.of("0", "-1", "many")) {
            assertThatThrownBy(() -> info(SQL, "weir-partitions", wrong)).hasMessageContaining("weir-partitions");
        }
    }

    @Test
    void aBrokenEndpointFailsTheOthers() throws Exception {
        FlightInfo info = info("select i from range(50000000) t(i)", "weir-partitions", "3");
        try (FlightStream broken = stream(info.getEndpoints().get(0));
                FlightStream other = stream(info.getEndpoints().get(1))) {
            assertThat(broken.next()).isTrue();
            assertThat(other.next()).isTrue();
            broken.cancel("the client stops", null);
            assertThat(codeOf(() -> {
                        while (other.next()) {}
                    }))
                    .isEqualTo(FlightStatusCode.CANCELLED);
        }
        try (FlightStream late = stream(info.getEndpoints().get(2))) {
            assertThat(codeOf(late::next)).isEqualTo(FlightStatusCode.CANCELLED);
        }
    }

    @Test
    void anErrorReachesEveryEndpoint() throws Exception {
        String sql =
                "select cast(case when i = 300000 then 'x' else '1' end as int) as n from range(" + ROWS + ") t(i)";
        FlightInfo info = info(sql, "weir-partitions", "2");
        Set<FlightStatusCode> codes = new HashSet<>();
        try (FlightStream first = stream(info.getEndpoints().get(0));
                FlightStream second = stream(info.getEndpoints().get(1))) {
            codes.add(codeOf(() -> {
                while (first.next()) {}
            }));
            codes.add(codeOf(() -> {
                while (second.next()) {}
            }));
        }
        assertThat(codes).containsExactly(FlightStatusCode.INVALID_ARGUMENT);
    }

    @Test
    void anEndpointIsReadOnceAndByItsUser() throws Exception {
        FlightInfo info = info("select 42 as n", "weir-partitions", "2");
        FlightEndpoint endpoint = info.getEndpoints().get(0);
        try (FlightStream stream = stream(endpoint)) {
            while (stream.next()) {}
        }
        try (FlightStream again = stream(endpoint)) {
            // ABORTED, which this client does not know.
            assertThat(codeOf(again::next)).isEqualTo(FlightStatusCode.INTERNAL);
        }
        CredentialCallOption writer = client.authenticateBasicToken(TestGateway.WRITER, TestGateway.PASSWORD)
                .orElseThrow();
        try (FlightStream foreign = client.getStream(info.getEndpoints().get(1).getTicket(), writer)) {
            assertThat(codeOf(foreign::next)).isNotEqualTo(FlightStatusCode.OK);
        }
    }

    @Test
    void anEndpointWhoseReaderStopsEndsByTheStallClock() throws Exception {
        FlightInfo info = info("select i, repeat('x', 1000) from range(3000000) t(i)", "weir-partitions", "2");
        try (FlightStream stalled = stream(info.getEndpoints().get(0))) {
            assertThat(stalled.next()).isTrue();
            await().atMost(Duration.ofSeconds(20))
                    .until(() ->
                            gateway.bean(AdmissionController.class).snapshot().reservedBytes() == 0);
            assertThat(codeOf(() -> {
                        while (stalled.next()) {}
                    }))
                    .isEqualTo(FlightStatusCode.TIMED_OUT);
        }
    }

    @Test
    void cancel() throws Exception {
        FlightInfo unread = info(SQL, "weir-partitions", "2");
        assertThat(client.cancelFlightInfo(new CancelFlightInfoRequest(unread), bearer)
                        .getStatus())
                .isEqualTo(CancelStatus.CANCELLED);
        try (FlightStream stream = stream(unread.getEndpoints().get(1))) {
            assertThat(codeOf(stream::next)).isEqualTo(FlightStatusCode.CANCELLED);
        }
        FlightInfo read = info("select i from range(50000000) t(i)", "weir-partitions", "2");
        try (FlightStream stream = stream(read.getEndpoints().get(0))) {
            assertThat(stream.next()).isTrue();
            assertThat(client.cancelFlightInfo(new CancelFlightInfoRequest(read), bearer)
                            .getStatus())
                    .isIn(CancelStatus.CANCELLED, CancelStatus.CANCELLING);
            assertThat(codeOf(() -> {
                        while (stream.next()) {}
                    }))
                    .isEqualTo(FlightStatusCode.CANCELLED);
        }
    }
}
