package dev.weir.auth.tls;

/** Certificates or keys cannot be used. The message is one line for the operator and names the property at fault. */
public final class TlsException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public TlsException(String message) {
        super(message);
    }

    public TlsException(String message, Throwable cause) {
        super(message, cause);
    }
}
