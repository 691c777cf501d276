package dev.weir.gateway.query;

import static dev.weir.gateway.query.QueryHarness.ANN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.EngineFailure;
import dev.weir.engine.SessionSettings;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Descriptions that nobody waits for any more take neither a place nor the engine. */
class DescribeTest {

    private static final GatewayException LEFT = new GatewayException(GatewayErrorCode.CANCELLED, "left");

    private final QueryHarness harness = new QueryHarness();

    @AfterEach
    void everythingIsGivenBack() {
        harness.everythingIsGivenBack();
    }

    @Test
    void whoGivesUpADescriptionUnderWayStopsTheEngine() {
        CompletableFuture<Description> description = describe();

        description.completeExceptionally(LEFT);

        assertThat(harness.engine.describes.get(0).cancelled).isTrue();
        assertThat(harness.lane.held).as("until the engine has stopped").hasValue(1);
        harness.engine.describes.get(0).stop();
        assertThat(harness.lane.held).hasValue(0);
        harness.timers.advance(Duration.ofMinutes(5));
    }

    @Test
    void whoGivesUpWhileItWaitsLeavesTheLane() {
        harness.lane.grantAtOnce = false;
        CompletableFuture<Description> description = describe();

        description.completeExceptionally(LEFT);

        assertThat(harness.lane.waiting.get(0).permit).isCompletedExceptionally();
        assertThat(harness.engine.describes).isEmpty();
    }

    @Test
    void aFailureOfTheEnginesOwnReachesTheCaller() {
        CompletableFuture<Description> description = describe();

        harness.engine.describes.get(0).fail(EngineFailure.BINDING, "no such table");

        assertThat(QueryHarness.failure(description).code()).isEqualTo(GatewayErrorCode.INVALID_SQL);
    }

    private CompletableFuture<Description> describe() {
        return harness.service.describe(ANN, "select 1", SessionSettings.NONE).toCompletableFuture();
    }
}
