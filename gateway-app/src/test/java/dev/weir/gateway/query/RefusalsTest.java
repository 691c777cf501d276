package dev.weir.gateway.query;

import static dev.weir.gateway.query.QueryHarness.ANN;
import static dev.weir.gateway.query.QueryHarness.EVE;
import static dev.weir.gateway.query.QueryHarness.failure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.AdmissionLimits;
import dev.weir.admission.GroupLimits;
import dev.weir.admission.RateLimit;
import dev.weir.admission.Rejection;
import dev.weir.admission.UserLimits;
import dev.weir.admission.WaitReason;
import dev.weir.auth.Identity;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Refusals name the limit, its scope and value, and when to come again. */
class RefusalsTest {

    private static final Duration RETRY = Duration.ofMillis(2500);

    private final QueryHarness harness = new QueryHarness();

    @AfterEach
    void everythingIsGivenBack() {
        harness.everythingIsGivenBack();
    }

    @Test
    void ratesAreRefusedByScope() {
        RateLimit rate = new RateLimit(5, Duration.ofSeconds(1), 9);
        String value = "5 in 1000 ms, burst 9";
        GatewayException user = refused(ANN, new Rejection.RateLimited(Rejection.Scope.USER, "ann", rate, RETRY));
        assertThat(user.code()).isEqualTo(GatewayErrorCode.RATE_LIMITED);
        assertThat(user.details().limit()).isEqualTo(new ErrorDetails.Limit("user", "user.rate.requests", value));
        assertThat(user.details().retryAfter()).isEqualTo(RETRY);
        assertThat(user.text()).contains("user.rate.requests", "try again in 3 s");
        assertThat(refused(ANN, new Rejection.RateLimited(Rejection.Scope.GROUP, "etl", rate, RETRY))
                        .details()
                        .limit())
                .isEqualTo(new ErrorDetails.Limit("group", "groups.etl.rate.requests", value));
        assertThat(refused(ANN, new Rejection.RateLimited(Rejection.Scope.GLOBAL, "", rate, RETRY))
                        .details()
                        .limit())
                .isEqualTo(new ErrorDetails.Limit("global", "rate.requests", value));
    }

    @Test
    void aFullQueueOfAGroupNamesTheGroup() {
        GatewayException full = refused(EVE, new Rejection.QueueFull(Rejection.Scope.GROUP, "etl", 7, RETRY));
        assertThat(full.code()).isEqualTo(GatewayErrorCode.QUEUE_FULL);
        assertThat(full.details().limit()).isEqualTo(new ErrorDetails.Limit("group", "groups.etl.max-queued", "7"));
        assertThat(full.details().retryAfter()).isEqualTo(RETRY);
        assertThat(full.details().predictedWait())
                .as("when to ask again is no prediction")
                .isNull();
        assertThat(refused(ANN, new Rejection.QueueFull(Rejection.Scope.USER, "ann", 7, RETRY))
                        .code())
                .isEqualTo(GatewayErrorCode.USER_LIMIT);
    }

    @Test
    void aQueueTimeoutCarriesTheLimitThatHeldTheQuery() {
        Map<WaitReason, ErrorDetails.Limit> limits = new EnumMap<>(WaitReason.class);
        limits.put(WaitReason.MAX_RUNNING, new ErrorDetails.Limit("global", "max-running", "3"));
        limits.put(WaitReason.GROUP_MAX_RUNNING, new ErrorDetails.Limit("group", "groups.etl.max-running", "1"));
        limits.put(WaitReason.USER_MAX_RUNNING, new ErrorDetails.Limit("user", "user.max-running", "1"));
        limits.put(WaitReason.MEMORY, new ErrorDetails.Limit("global", "memory.budget", "1000 B"));
        limits.put(WaitReason.GROUP_MEMORY, new ErrorDetails.Limit("group", "groups.etl.memory.budget", "500 B"));
        limits.put(WaitReason.HELD, new ErrorDetails.Limit("global", "memory.high-water", "0.9"));
        limits.put(WaitReason.WORKERS, new ErrorDetails.Limit("global", "workers", "0 healthy"));
        limits.put(WaitReason.ENGINE, new ErrorDetails.Limit("query", "queue-timeout", "60000 ms"));
        limits.put(WaitReason.TURN, new ErrorDetails.Limit("query", "queue-timeout", "60000 ms"));
        for (WaitReason reason : WaitReason.values()) {
            GatewayException late = refused(EVE, new Rejection.QueueTimeout(reason, Duration.ofSeconds(60), 4, RETRY));
            assertThat(late.code()).isEqualTo(GatewayErrorCode.QUEUE_TIMEOUT);
            assertThat(late.details().limit()).isEqualTo(limits.get(reason));
            assertThat(late.details().position()).isEqualTo(4);
            assertThat(late.details().retryAfter()).isEqualTo(RETRY);
            assertThat(late.details().predictedWait())
                    .as("when to ask again is no prediction")
                    .isNull();
            assertThat(late.text()).contains("60000 ms (queue-timeout)");
            Duration known = Duration.ofSeconds(9);
            assertThat(refused(
                                    EVE,
                                    new Rejection.QueueTimeout(
                                            reason, Duration.ofSeconds(60), 4, RETRY, Optional.of(known)))
                            .details()
                            .predictedWait())
                    .isEqualTo(known);
        }
    }

    @Test
    void aLimitThatAGroupSetsForItsUsersIsNamedThere() {
        GatewayException full = refused(
                EVE, new Rejection.QueueFull(Rejection.Scope.USER, "eve", 7, RETRY, "groups.etl.user.max-queued"));
        assertThat(full.details().limit()).isEqualTo(new ErrorDetails.Limit("user", "groups.etl.user.max-queued", "7"));
        assertThat(full.text()).contains("Your queue is full: groups.etl.user.max-queued is 7");
        GroupLimits etl = new GroupLimits(
                4,
                1,
                1,
                Duration.ofSeconds(1),
                500,
                500,
                500,
                null,
                new UserLimits(2, 1, 1, null),
                Set.of("user.max-running"));
        AdmissionLimits limits = new AdmissionLimits(
                9, 9, 0, Duration.ofMillis(250), 0, 1000, null, Map.of(AdmissionLimits.DEFAULT_GROUP, etl, "etl", etl));
        assertThat(Refusals.holding(WaitReason.USER_MAX_RUNNING, new Refusals.InForce(limits, "etl", 0.9)))
                .isEqualTo(new ErrorDetails.Limit("user", "groups.etl.user.max-running", "2"));
    }

    @Test
    void aWaitNamesItsLimit() {
        harness.admission.grantAtOnce = false;
        harness.admission.reason = WaitReason.GROUP_MAX_RUNNING;
        QueryExecution query = harness.submit(EVE);
        QuerySnapshot waiting = query.snapshot();
        assertThat(waiting.waitReason()).isEqualTo("groups.etl.max-running");
        assertThat(waiting.waitLimit()).isEqualTo(new ErrorDetails.Limit("group", "groups.etl.max-running", "1"));
        assertThat(waiting.group()).isEqualTo("etl");
        assertThat(waiting.position()).isEqualTo(1);
        harness.admission.reason = WaitReason.WORKERS;
        assertThat(query.snapshot().waitReason()).isEqualTo("workers");
        assertThat(query.snapshot().waitLimit()).isEqualTo(new ErrorDetails.Limit("global", "workers", "0 healthy"));
        harness.admission.reason = WaitReason.TURN;
        assertThat(query.snapshot().waitReason()).isEqualTo("the queries ahead of it");
        assertThat(query.snapshot().waitLimit()).isNull();
        harness.admission.reason = WaitReason.ENGINE;
        assertThat(query.snapshot().waitReason()).isEqualTo("the engine, which has no place free");
        assertThat(query.snapshot().waitLimit()).isNull();
        query.cancel(CancelReason.CLIENT_CANCEL);
    }

    private GatewayException refused(Identity identity, Rejection rejection) {
        harness.admission.grantAtOnce = false;
        harness.admission.waiting.clear();
        QueryExecution query = harness.submit(identity);
        harness.admission.waiting.get(0).refuse(rejection);
        return failure(query.stream());
    }
}
