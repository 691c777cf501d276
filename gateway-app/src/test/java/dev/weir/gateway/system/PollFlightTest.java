package dev.weir.gateway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Any;
import dev.weir.admission.AdmissionController;
import dev.weir.gateway.query.DefaultQueryService;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.arrow.flight.CancelFlightInfoRequest;
import org.apache.arrow.flight.CancelStatus;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.PollInfo;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.flight.sql.impl.FlightSql;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** PollFlightInfo against a whole gateway, with Arrow's own client. */
class PollFlightTest {

    private static final String BIG = "select i, repeat('x', 1000) as s from range(40000000) t(i)";
    private static final String NUMBERS = "select range as n from range(300000) order by n";

    @TempDir
    Path directory;

    /** A gateway with one slot, and a client that has logged in. */
    private final class Saturated implements AutoCloseable {
        final TestGateway gateway;
        final BufferAllocator allocator = new RootAllocator();
        final FlightClient client;
        final CredentialCallOption bearer;

        Saturated(String... properties) throws Exception {
            List<String> all = new ArrayList<>(List.of(
                    "--weir.admission.max-running=1",
                    "--weir.admission.short-lane=0",
                    "--weir.admission.max-paused=0",
                    "--weir.admission.memory.per-query=100MB"));
            all.addAll(List.of(properties));
            gateway = TestGateway.start(directory, all.toArray(String[]::new));
            client = gateway.flight(allocator);
            bearer = client.authenticateBasicToken(TestGateway.WRITER, TestGateway.PASSWORD)
                    .orElseThrow();
        }

        /** Takes the slot until the answer is closed. */
        HttpResponse<InputStream> occupy() throws Exception {
            HttpResponse<InputStream> open =
                    gateway.stream(TestGateway.READER, "application/vnd.apache.arrow.stream", BIG);
            assertThat(open.statusCode()).isEqualTo(200);
            return open;
        }

        PollInfo submit(String sql) {
            byte[] command = Any.pack(FlightSql.CommandStatementQuery.newBuilder()
                            .setQuery(sql)
                            .build())
                    .toByteArray();
            return client.pollInfo(FlightDescriptor.command(command), bearer);
        }

        PollInfo next(PollInfo before) {
            return client.pollInfo(before.getFlightDescriptor().orElseThrow(), bearer);
        }

        /** Polls until the query is granted and its result is open. */
        FlightInfo complete(PollInfo first) {
            PollInfo poll = first;
            for (int i = 0; i < 20 && poll.getFlightDescriptor().isPresent(); i++) {
                poll = next(poll);
            }
            assertThat(poll.getFlightDescriptor()).isEmpty();
            return poll.getFlightInfo();
        }

        List<Long> read(FlightInfo info) throws Exception {
            List<Long> rows = new ArrayList<>();
            try (FlightStream stream =
                    client.getStream(info.getEndpoints().get(0).getTicket(), bearer)) {
                while (stream.next()) {
                    BigIntVector vector = (BigIntVector) stream.getRoot().getVector(0);
                    for (int row = 0; row < stream.getRoot().getRowCount(); row++) {
                        rows.add(vector.get(row));
                    }
                }
            }
            return rows;
        }

        FlightStatusCode failure(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
            return catchThrowableOfType(FlightRuntimeException.class, call)
                    .status()
                    .code();
        }

        int running() {
            return gateway.bean(AdmissionController.class).snapshot().running();
        }

        int queued() {
            return gateway.bean(AdmissionController.class).snapshot().queued();
        }

        void awaitIdle() {
            await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
                assertThat(gateway.bean(DefaultQueryService.class).liveQueries())
                        .isEmpty();
                assertThat(running()).isZero();
                assertThat(queued()).isZero();
            });
        }

        @Override
        public void close() throws Exception {
            client.close();
            gateway.close();
            allocator.close();
        }
    }

    private static JsonNode status(PollInfo poll) {
        return JsonMapper.shared().readTree(new String(poll.getFlightInfo().getAppMetadata(), StandardCharsets.UTF_8));
    }

    @Test
    void underSaturationAPollTellsThePlaceAndThenGivesTheRowsWithOneSlot() throws Exception {
        try (Saturated here = new Saturated()) {
            // Something measured, to predict from.
            assertThat(here.gateway
                            .sql(TestGateway.WRITER, "text/csv", "select count(*) from range(1000000)")
                            .statusCode())
                    .isEqualTo(200);
            here.awaitIdle();
            HttpResponse<InputStream> open = here.occupy();

            PollInfo first = here.submit(NUMBERS);

            assertThat(first.getFlightDescriptor()).isPresent();
            assertThat(first.getFlightInfo().getEndpoints()).isEmpty();
            assertThat(first.getFlightInfo().getSchemaOptional().orElseThrow().getFields())
                    .hasSize(1);
            assertThat(status(first).get("state").stringValue()).isEqualTo("QUEUED");
            assertThat(status(first).get("position").intValue()).isEqualTo(1);
            assertThat(status(first).get("predictedWaitMs").isNumber()).isTrue();
            assertThat(status(first).at("/limit/name").stringValue()).isEqualTo("max-running");
            assertThat(here.queued()).isEqualTo(1);
            CompletableFuture<FlightInfo> polling =
                    CompletableFuture.supplyAsync(() -> here.complete(first), TestGateway::onThread);
            open.body().close();

            FlightInfo info = polling.get(60, TimeUnit.SECONDS);
            assertThat(info.getEndpoints()).hasSize(1);
            assertThat(here.running()).as("the grant waits for its reader").isEqualTo(1);
            // The other has given its slot back, and may still be settling.
            Awaitility.await()
                    .untilAsserted(() -> assertThat(
                                    here.gateway.bean(DefaultQueryService.class).liveQueries())
                            .hasSize(1)
                            .allMatch(query -> query.id()
                                    .equals(status(first).get("queryId").stringValue())));
            assertThat(here.read(info))
                    .isEqualTo(LongStream.range(0, 300_000).boxed().toList());
            assertThat(here.failure(() -> here.read(info))).isEqualTo(FlightStatusCode.INTERNAL);
            here.awaitIdle();
        }
    }

    @Test
    void aClientThatStaysAwayLosesItsPlaceAndItsGrant() throws Exception {
        try (Saturated here = new Saturated("--weir.flight.claim-timeout=500ms", "--weir.flight.poll-timeout=700ms")) {
            HttpResponse<InputStream> open = here.occupy();
            PollInfo queued = here.submit(NUMBERS);
            assertThat(queued.getFlightDescriptor()).isPresent();
            await().atMost(Duration.ofSeconds(10)).until(() -> here.queued() == 0);
            assertThat(here.failure(() -> here.next(queued))).isEqualTo(FlightStatusCode.NOT_FOUND);
            open.body().close();
            here.awaitIdle();

            here.gateway.sql(TestGateway.WRITER, "text/csv", "create table t (i bigint)");
            FlightInfo read = here.complete(here.submit(NUMBERS));
            here.awaitIdle();
            assertThat(here.failure(() -> here.read(read))).isEqualTo(FlightStatusCode.NOT_FOUND);

            FlightInfo write = here.complete(here.submit("insert into t values (1) returning i"));
            here.awaitIdle();
            assertThat(here.failure(() -> here.read(write)))
                    .as("it ran, and is committed: not to be submitted again")
                    .isEqualTo(FlightStatusCode.UNKNOWN);
            assertThat(here.gateway
                            .sql(TestGateway.WRITER, "text/csv", "select count(*) as n from t")
                            .body()
                            .lines())
                    .containsExactly("n", "1");
        }
    }

    @Test
    void aStatementWithoutRowsRunsOnce() throws Exception {
        try (Saturated here = new Saturated()) {
            here.gateway.sql(TestGateway.WRITER, "text/csv", "create table t (i bigint)");

            FlightInfo info = here.complete(here.submit("insert into t values (1), (2)"));

            assertThat(here.read(info)).containsExactly(2L);
            assertThat(here.read(info)).containsExactly(2L);
            assertThat(here.read(here.complete(here.submit("select count(*) as n from t"))))
                    .containsExactly(2L);
            here.awaitIdle();
        }
    }

    @Test
    void aCancelEndsAQueuedQueryAndAnUnreadResult() throws Exception {
        try (Saturated here = new Saturated()) {
            HttpResponse<InputStream> open = here.occupy();
            PollInfo queued = here.submit(NUMBERS);
            assertThat(here.client
                            .cancelFlightInfo(new CancelFlightInfoRequest(queued.getFlightInfo()), here.bearer)
                            .getStatus())
                    .isIn(CancelStatus.CANCELLED, CancelStatus.CANCELLING);
            await().atMost(Duration.ofSeconds(10)).until(() -> here.queued() == 0);
            assertThat(here.failure(() -> here.next(queued))).isEqualTo(FlightStatusCode.CANCELLED);
            open.body().close();
            here.awaitIdle();

            FlightInfo unread = here.complete(here.submit(NUMBERS));
            assertThat(here.client
                            .cancelFlightInfo(new CancelFlightInfoRequest(unread), here.bearer)
                            .getStatus())
                    .isIn(CancelStatus.CANCELLED, CancelStatus.CANCELLING);
            here.awaitIdle();
            assertThat(here.failure(() -> here.read(unread))).isEqualTo(FlightStatusCode.CANCELLED);
        }
    }
}
