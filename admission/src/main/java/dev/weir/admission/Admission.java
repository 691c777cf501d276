package dev.weir.admission;

import java.util.concurrent.CompletionStage;

/** A request for a permit under way. It ends once: granted, timed out, cancelled or refused. */
public interface Admission {

    /**
     * Completes with the permit, which the caller then owns and must close; or exceptionally with an
     * {@link AdmissionRejectedException}, or a {@link java.util.concurrent.CancellationException} after a cancel.
     */
    CompletionStage<RunPermit> permit();

    /**
     * Gives the request up. All counters are back before this returns.
     *
     * @return true when this call ended it; false when it had ended already (a granted permit must still be closed)
     */
    boolean cancel();
}
