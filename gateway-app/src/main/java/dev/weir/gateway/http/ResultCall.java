package dev.weir.gateway.http;

import dev.weir.gateway.query.GatewayException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * One call for a result, until its answer. Exactly one of three takes the result: the answer; the spool, when the client
 * does not wait longer; or nobody, when the client left. A CAS decides. Subscribe once.
 */
final class ResultCall {

    private enum Taker {
        OPEN,
        ANSWER,
        SPOOL,
        NOBODY
    }

    /**
     * What happens when the first bytes are not there in time.
     *
     * @param after how long the client waits, more than zero
     * @param accept keeps the result that will come, and answers meanwhile
     */
    record Patience(
            Duration after,
            ScheduledExecutorService timer,
            Function<CompletionStage<LoadedResult>, Mono<ServerResponse>> accept) {}

    private final ResultSource source;
    private final Answers answers;
    private final Answers.Wanted wanted;
    private final long rowLimit;
    private final @Nullable Patience patience;
    private final AtomicReference<Taker> taker = new AtomicReference<>(Taker.OPEN);
    private volatile @Nullable ResultPump pump;
    private volatile ClientConnection.@Nullable Registration closing;
    private volatile @Nullable ScheduledFuture<?> timer;

    ResultCall(
            ResultSource source, Answers answers, Answers.Wanted wanted, long rowLimit, @Nullable Patience patience) {
        this.source = source;
        this.answers = answers;
        this.wanted = wanted;
        this.rowLimit = rowLimit;
        this.patience = patience;
    }

    /** The answer when its first chunk is there. */
    Mono<ServerResponse> answer() {
        return Mono.create(this::start);
    }

    private void start(MonoSink<ServerResponse> sink) {
        sink.onCancel(this::clientGone);
        // The framework's cancel misses a client that leaves between the answer and its writing; the connection does
        // not.
        closing = wanted.connection().onClosed(this::clientGone);
        CompletionStage<LoadedResult> coming = source.load(wanted.takesEncoded(rowLimit));
        Patience limited = patience;
        if (limited != null) {
            timer = limited.timer()
                    .schedule(
                            () -> tooLate(sink, limited, coming),
                            limited.after().toNanos(),
                            TimeUnit.NANOSECONDS);
        }
        coming.whenComplete((result, thrown) -> {
            if (result != null) {
                loaded(sink, result);
            } else {
                failed(sink, Problems.unwrap(thrown));
            }
        });
    }

    private void loaded(MonoSink<ServerResponse> sink, LoadedResult result) {
        if (!taker.compareAndSet(Taker.OPEN, Taker.ANSWER)) {
            if (taker.get() == Taker.NOBODY) {
                result.close();
            }
            return;
        }
        stopTimer();
        ResultPump made = answers.pump(wanted, source, result, rowLimit);
        pump = made;
        made.closed().thenRun(this::unregister);
        made.first().whenComplete((first, thrown) -> {
            if (first == null) {
                sink.error(withId(Problems.unwrap(thrown)));
            } else {
                answers.respond(wanted, made, first, Answers.headersOf(source.snapshot()))
                        .subscribe(sink::success, sink::error);
            }
        });
    }

    private void failed(MonoSink<ServerResponse> sink, Throwable thrown) {
        if (taker.compareAndSet(Taker.OPEN, Taker.ANSWER)) {
            stopTimer();
            unregister();
            sink.error(withId(thrown));
        }
    }

    private void tooLate(MonoSink<ServerResponse> sink, Patience limited, CompletionStage<LoadedResult> coming) {
        if (taker.compareAndSet(Taker.OPEN, Taker.SPOOL)) {
            unregister();
            limited.accept().apply(coming).subscribe(sink::success, sink::error);
        }
    }

    private Throwable withId(Throwable thrown) {
        if (thrown instanceof GatewayException failure && failure.details().queryId() == null) {
            return new GatewayException(
                    failure.code(),
                    failure.text(),
                    failure.details().withQueryId(source.queryId()),
                    failure.getCause());
        }
        return thrown;
    }

    private void clientGone() {
        if (taker.compareAndSet(Taker.OPEN, Taker.NOBODY)) {
            stopTimer();
            unregister();
            source.abandoned();
        } else if (taker.get() == Taker.ANSWER) {
            ResultPump made = pump;
            if (made != null) {
                made.abandon();
            } else {
                source.abandoned();
            }
        }
    }

    private void stopTimer() {
        ScheduledFuture<?> running = timer;
        if (running != null) {
            running.cancel(false);
        }
    }

    private void unregister() {
        ClientConnection.Registration registration = closing;
        if (registration != null) {
            registration.cancel();
        }
    }
}
