package dev.weir.gateway.http;

import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;

/** A failure whose status is closer than its code's own (405, 406, 408, 410, 415), or that needs headers. */
final class HttpProblem extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final GatewayException failure;
    private final int status;
    private final transient HttpHeaders headers;

    private final boolean closing;

    HttpProblem(int status, HttpHeaders headers, GatewayException failure) {
        this(status, headers, failure, false);
    }

    private HttpProblem(int status, HttpHeaders headers, GatewayException failure, boolean closing) {
        super(failure.text(), failure, false, false);
        this.status = status;
        this.headers = headers;
        this.failure = failure;
        this.closing = closing;
    }

    static HttpProblem notAcceptable() {
        return of(
                406,
                "None of the formats in the Accept header is offered; give one of " + ResultFormat.offered() + ".");
    }

    static HttpProblem methodNotAllowed(HttpMethod method, String allow) {
        HttpHeaders headers = new HttpHeaders();
        headers.set(HttpHeaders.ALLOW, allow);
        return new HttpProblem(
                405,
                headers,
                invalid("The method " + method.name() + " is not allowed here; allowed are " + allow + "."));
    }

    /** RFC 7694: the answer names what a request may be encoded with. */
    static HttpProblem encodedRequest() {
        HttpHeaders headers = new HttpHeaders();
        headers.set(HttpHeaders.ACCEPT_ENCODING, "identity");
        return new HttpProblem(
                415, headers, invalid("A request body with a Content-Encoding is not taken; send it as it is."));
    }

    /** RFC 9110: the answer names what a request may be. */
    static HttpProblem unsupportedType(String type) {
        HttpHeaders headers = new HttpHeaders();
        headers.set(HttpHeaders.ACCEPT, type);
        return new HttpProblem(415, headers, invalid("The Content-Type of the body must be " + type + "."));
    }

    /** The rest of the request's body stays unread, so the connection is closed after the answer. */
    static HttpProblem closing(int status, GatewayException failure) {
        return new HttpProblem(status, HttpHeaders.EMPTY, failure, true);
    }

    static HttpProblem gone(String message) {
        return new HttpProblem(410, HttpHeaders.EMPTY, new GatewayException(GatewayErrorCode.NOT_FOUND, message));
    }

    private static HttpProblem of(int status, String message) {
        return new HttpProblem(status, HttpHeaders.EMPTY, invalid(message));
    }

    private static GatewayException invalid(String message) {
        return new GatewayException(GatewayErrorCode.INVALID_REQUEST, message);
    }

    GatewayException failure() {
        return failure;
    }

    int status() {
        return status;
    }

    /** Whether the connection is to be closed after the answer. */
    boolean closing() {
        return closing;
    }

    HttpHeaders headers() {
        return headers;
    }
}
