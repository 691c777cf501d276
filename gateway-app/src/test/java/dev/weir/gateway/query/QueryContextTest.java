package dev.weir.gateway.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.QueryContext;
import dev.weir.engine.SessionSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an engine is told of a query's user and limits. */
class QueryContextTest {

    private final QueryHarness harness = new QueryHarness();

    @AfterEach
    void close() {
        harness.engine.close();
    }

    @Test
    void aQueryRunsForItsUserWithItsPermit() {
        harness.admission.shortLane = true;
        harness.submit(QueryHarness.ANN);

        assertThat(harness.engine.queries.get(0).context())
                .isEqualTo(new QueryContext("ann", 1000, true, QueryHarness.STATEMENT));
    }

    @Test
    void theTimeLeftIsWhatTheCallerAskedFor() {
        harness.service.submit(
                QueryHarness.EVE,
                new QueryRequest(
                        Front.HTTP,
                        "select 1",
                        List.of(),
                        SessionSettings.NONE,
                        Optional.of(Duration.ofSeconds(7)),
                        Optional.empty(),
                        OptionalLong.empty(),
                        dev.weir.admission.Priority.NORMAL,
                        false,
                        Map.of()));

        QueryContext context = harness.engine.queries.get(0).context();
        assertThat(context.user()).isEqualTo("eve");
        assertThat(context.timeLeft()).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void describingHasItsOwnTime() {
        harness.service.describe(QueryHarness.ANN, "select 1", SessionSettings.NONE);

        assertThat(harness.engine.queries.get(0).context())
                .isEqualTo(new QueryContext("ann", 0, false, Duration.ofSeconds(30)));
    }
}
