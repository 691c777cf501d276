package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A listener that hangs, whatever it is told, holds no lock: others are admitted, refused and released meanwhile. */
class HangingListenerTest {

    private static final String HANGS = "hangs";
    private static final long NORMAL = 1;
    private static final long TOO_MUCH = 2_000_000;

    /** What the listener is told, and how that comes about for the query it hangs on. */
    enum Event {
        QUEUED {
            @Override
            void happen(HangingListenerTest test) {
                test.heavy("first", "slow", NORMAL);
                test.heavy(HANGS, "slow", NORMAL);
            }
        },
        GRANTED {
            @Override
            void happen(HangingListenerTest test) {
                test.heavy(HANGS, "slow", NORMAL);
            }
        },
        REJECTED {
            @Override
            void happen(HangingListenerTest test) {
                test.heavy(HANGS, "slow", TOO_MUCH);
            }
        },
        CANCELLED {
            @Override
            void happen(HangingListenerTest test) {
                test.heavy("first", "slow", NORMAL);
                test.heavy(HANGS, "slow", NORMAL).cancel();
            }
        },
        PAUSED {
            @Override
            void happen(HangingListenerTest test) {
                permit(test.heavy(HANGS, "slow", NORMAL)).pause();
            }
        },
        RESUMED {
            @Override
            void happen(HangingListenerTest test) {
                RunPermit permit = permit(test.heavy(HANGS, "slow", NORMAL));
                permit.pause();
                permit.resume();
            }
        },
        OVERRAN {
            @Override
            void happen(HangingListenerTest test) {
                RunPermit taught = permit(test.ask("taught", "slow", NORMAL, false));
                test.time.advance(Duration.ofMillis(5));
                taught.close(RunPermit.Outcome.FINISHED);
                test.ask(HANGS, "slow", NORMAL, false);
                test.time.advance(Tree.SHORT);
            }
        },
        RELEASED {
            @Override
            void happen(HangingListenerTest test) {
                permit(test.heavy(HANGS, "slow", NORMAL)).close(RunPermit.Outcome.FINISHED);
            }
        };

        abstract void happen(HangingListenerTest test);
    }

    private final CountDownLatch inside = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final VirtualTime time = new VirtualTime();
    private volatile @Nullable Event hanging;
    private final AdmissionController controller = AdmissionControllers.create(
            Tree.running(4)
                    .lane(4)
                    .group(AdmissionLimits.DEFAULT_GROUP, Tree.caps(1_000, 1_000_000, 1))
                    .build(),
            time,
            time,
            Runnable::run,
            new Hanging());

    @ParameterizedTest
    @EnumSource(Event.class)
    void aListenerThatHangsHoldsUpNobodyElse(Event event) throws Exception {
        hanging = event;
        Thread slow = new Thread(() -> event.happen(this));
        slow.start();
        assertThat(inside.await(10, TimeUnit.SECONDS))
                .as("the listener was told")
                .isTrue();
        try {
            CompletableFuture.runAsync(this::othersGoOn).get(10, TimeUnit.SECONDS);
        } finally {
            goOn.countDown();
        }
        slow.join(10_000);
        assertThat(slow.isAlive()).isFalse();
        assertThat(controller.listenerFailures()).isZero();
    }

    private void othersGoOn() {
        RunPermit first = permit(heavy("one", "quick", NORMAL));
        Admission second = heavy("two", "quick", NORMAL);
        Admission third = heavy("three", "quick", NORMAL);
        assertThat(controller.waitInfo("two")).isPresent();
        assertThat(second.cancel()).isTrue();
        assertThatThrownBy(() -> permit(heavy("four", "quick", TOO_MUCH)))
                .hasCauseInstanceOf(AdmissionRejectedException.class);
        first.close(RunPermit.Outcome.FINISHED);
        RunPermit last = permit(third);
        assertThat(last.pause()).isTrue();
        assertThat(last.resume().toCompletableFuture()).isCompleted();
        last.close(RunPermit.Outcome.FINISHED);
        assertThat(controller.snapshot().users())
                .extracting(AdmissionSnapshot.User::name)
                .doesNotContain("quick");
    }

    private Admission heavy(String id, String user, long bytes) {
        return ask(id, user, bytes, true);
    }

    private Admission ask(String id, String user, long bytes, boolean heavy) {
        return controller.admit(new AdmissionRequest(
                id, user, List.of(), 1, OptionalLong.of(bytes), Gate.FOREVER, Priority.NORMAL, heavy));
    }

    private static RunPermit permit(Admission asked) {
        CompletableFuture<RunPermit> stage = asked.permit().toCompletableFuture();
        assertThat(stage).isDone();
        return stage.join();
    }

    private final class Hanging implements AdmissionListener {

        private void told(Event event, AdmissionRequest request) {
            if (event != hanging || !request.queryId().equals(HANGS)) {
                return;
            }
            inside.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void queued(AdmissionRequest request) {
            told(Event.QUEUED, request);
        }

        @Override
        public void granted(AdmissionRequest request, RunPermit permit) {
            told(Event.GRANTED, request);
        }

        @Override
        public void rejected(AdmissionRequest request, Rejection rejection) {
            told(Event.REJECTED, request);
        }

        @Override
        public void cancelled(AdmissionRequest request) {
            told(Event.CANCELLED, request);
        }

        @Override
        public void paused(AdmissionRequest request) {
            told(Event.PAUSED, request);
        }

        @Override
        public void resumed(AdmissionRequest request) {
            told(Event.RESUMED, request);
        }

        @Override
        public void overran(AdmissionRequest request) {
            told(Event.OVERRAN, request);
        }

        @Override
        public void released(AdmissionRequest request, RunPermit.Outcome outcome, long heldNanos) {
            told(Event.RELEASED, request);
        }
    }
}
