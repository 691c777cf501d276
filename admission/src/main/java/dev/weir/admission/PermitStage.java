package dev.weir.admission;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The stage handed to whoever asked for a permit. Only the controller can complete it: a permit that met a stage
 * completed by somebody else would be lost with its slot. Cancelling it gives the request up, as some libraries do on
 * their own when their subscriber goes away.
 */
final class PermitStage extends CompletableFuture<RunPermit> {

    private final BooleanSupplier cancel;

    PermitStage(BooleanSupplier cancel) {
        this.cancel = cancel;
    }

    void grant(RunPermit permit) {
        super.complete(permit);
    }

    void fail(Throwable cause) {
        super.completeExceptionally(cause);
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return cancel.getAsBoolean();
    }

    @Override
    public CompletableFuture<RunPermit> toCompletableFuture() {
        return copy();
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new CompletableFuture<>();
    }

    @Override
    public boolean complete(@Nullable RunPermit value) {
        throw readOnly();
    }

    @Override
    public boolean completeExceptionally(Throwable cause) {
        throw readOnly();
    }

    @Override
    public void obtrudeValue(@Nullable RunPermit value) {
        throw readOnly();
    }

    @Override
    public void obtrudeException(Throwable cause) {
        throw readOnly();
    }

    @Override
    public CompletableFuture<RunPermit> completeAsync(Supplier<? extends RunPermit> supplier) {
        throw readOnly();
    }

    @Override
    public CompletableFuture<RunPermit> orTimeout(long timeout, TimeUnit unit) {
        throw readOnly();
    }

    @Override
    public CompletableFuture<RunPermit> completeOnTimeout(@Nullable RunPermit value, long timeout, TimeUnit unit) {
        throw readOnly();
    }

    private static UnsupportedOperationException readOnly() {
        return new UnsupportedOperationException("only the admission controller completes this stage");
    }
}
