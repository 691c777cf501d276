package dev.weir.gateway.http;

import dev.weir.gateway.query.CancelReason;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QueryExecution;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * One query between its submission and its answer. Exactly one of three takes its result: the answer, the spool when the
 * client's wait ended first, or nobody when the client left; a CAS decides.
 */
final class QueryCall {

    private enum Taker {
        OPEN,
        ANSWER,
        SPOOL,
        NOBODY
    }

    private final QueryExecution execution;
    private final Answers answers;
    private final Answers.Wanted wanted;
    private final BufferAllocator allocator;
    private final long rowLimit;
    private final AtomicReference<Taker> taker = new AtomicReference<>(Taker.OPEN);
    private volatile @Nullable ResultPump pump;
    private volatile ClientConnection.@Nullable Registration closing;

    QueryCall(
            QueryExecution execution,
            Answers answers,
            Answers.Wanted wanted,
            BufferAllocator allocator,
            long rowLimit) {
        this.execution = execution;
        this.answers = answers;
        this.wanted = wanted;
        this.allocator = allocator;
        this.rowLimit = rowLimit;
    }

    /** The answer when its first chunk is there. Subscribe once. */
    Mono<ServerResponse> answer() {
        return Mono.create(this::start);
    }

    private void start(MonoSink<ServerResponse> sink) {
        sink.onCancel(this::clientGone);
        // The framework's cancel does not cover the moment between the answer and its writing; the connection does.
        closing = wanted.connection().onClosed(this::clientGone);
        execution.stream()
                .thenCompose(stream -> LoadedResult.of(stream, allocator))
                .whenComplete((result, thrown) -> {
                    if (result != null) {
                        loaded(sink, result);
                    } else {
                        failed(sink, Problems.of(thrown));
                    }
                });
        execution.done().thenAccept(last -> unregister());
    }

    private void loaded(MonoSink<ServerResponse> sink, LoadedResult result) {
        if (!taker.compareAndSet(Taker.OPEN, Taker.ANSWER)) {
            result.stream().close();
            return;
        }
        ResultPump made = answers.pump(wanted, execution.id(), result, rowLimit);
        pump = made;
        made.first().whenComplete((first, thrown) -> {
            if (first == null) {
                sink.error(withId(Problems.of(thrown)));
                return;
            }
            answers.respond(wanted, made, first, Answers.headersOf(execution.snapshot()))
                    .subscribe(sink::success, sink::error);
        });
    }

    private void failed(MonoSink<ServerResponse> sink, GatewayException failure) {
        if (taker.compareAndSet(Taker.OPEN, Taker.ANSWER)) {
            sink.error(withId(failure));
        }
    }

    private GatewayException withId(GatewayException failure) {
        if (failure.details().queryId() != null) {
            return failure;
        }
        return new GatewayException(
                failure.code(), failure.text(), failure.details().withQueryId(execution.id()), failure.getCause());
    }

    private void clientGone() {
        if (taker.compareAndSet(Taker.OPEN, Taker.NOBODY)) {
            execution.cancel(CancelReason.CLIENT_GONE);
        } else if (taker.get() == Taker.ANSWER) {
            ResultPump made = pump;
            if (made != null) {
                made.abandon();
            } else {
                execution.cancel(CancelReason.CLIENT_GONE);
            }
        }
    }

    private void unregister() {
        ClientConnection.Registration registration = closing;
        if (registration != null) {
            registration.cancel();
        }
    }
}
