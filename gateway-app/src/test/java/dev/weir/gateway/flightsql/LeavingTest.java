package dev.weir.gateway.flightsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.gateway.flightsql.FakeQueries.Script;
import io.grpc.Context;
import java.util.concurrent.CompletableFuture;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients that leave while their statement is described. */
class LeavingTest {

    /** The calls that describe a statement. */
    enum Call {
        INFO {
            @Override
            void make(FlightSqlClient client) {
                client.execute("numbers");
            }
        },
        SCHEMA {
            @Override
            void make(FlightSqlClient client) {
                client.getExecuteSchema("numbers");
            }
        },
        PREPARE {
            @Override
            void make(FlightSqlClient client) {
                client.prepare("numbers");
            }
        };

        abstract void make(FlightSqlClient client);
    }

    private final FrontHarness harness = new FrontHarness();

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    @ParameterizedTest
    @EnumSource(Call.class)
    void aClientThatLeavesGivesTheDescriptionUp(Call call) throws Exception {
        FlightSqlClient client = harness.as("ann");
        harness.queries.scripts.put("numbers", Script.numbers(1, 1));
        harness.queries.describing = new CompletableFuture<>();
        Context.CancellableContext context = Context.current().withCancellation();
        Thread caller = new Thread(context.wrap(() -> {
            try {
                call.make(client);
            } catch (RuntimeException expected) {
                // Cancelled below.
            }
        }));
        caller.start();
        await().until(() -> !harness.queries.described.isEmpty());

        context.cancel(null);

        await().until(() -> harness.queries.describing.isCompletedExceptionally());
        caller.join(5_000);
        assertThat(caller.isAlive()).isFalse();
        assertThat(harness.queries.executions).isEmpty();
    }
}
