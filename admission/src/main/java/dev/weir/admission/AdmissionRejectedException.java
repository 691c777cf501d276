package dev.weir.admission;

import java.util.Objects;

/** A refused query. Carries its data; has no stack trace, since refusals come in storms. */
public final class AdmissionRejectedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Rejection rejection;

    public AdmissionRejectedException(Rejection rejection) {
        super(rejection.toString(), null, false, false);
        this.rejection = Objects.requireNonNull(rejection);
    }

    public Rejection rejection() {
        return rejection;
    }
}
