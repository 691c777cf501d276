package dev.weir.gateway.query;

import dev.weir.engine.IngestMode;
import dev.weir.engine.IngestTarget;
import org.jspecify.annotations.Nullable;

/**
 * A bulk ingest, and what its caller asks for.
 *
 * @param query its limits, settings and tags; it has no statement
 * @param part which part of the ingest this upload is; null when it is the whole
 */
public record IngestRequest(
        QueryRequest query,
        IngestTarget target,
        IngestMode mode,
        @Nullable Part part) {

    /** Most parts of one ingest. */
    public static final int MAX_PARTS = 256;

    private static final int MAX_NAME = 128;

    /**
     * One of several uploads that are committed as one.
     *
     * @param ingest the name that they have in common; of one user, while it runs
     * @param parts how many there are
     * @param part which one this is, from 0
     */
    public record Part(String ingest, int parts, int part) {
        public Part {
            if (ingest.isEmpty() || ingest.length() > MAX_NAME) {
                throw invalid("The name of an ingest must have 1 to " + MAX_NAME + " characters.");
            }
            if (parts < 1 || parts > MAX_PARTS) {
                throw invalid("An ingest must have 1 to " + MAX_PARTS + " parts.");
            }
            if (part < 0 || part >= parts) {
                throw invalid("The parts of this ingest are numbered 0 to " + (parts - 1) + ".");
            }
        }

        private static GatewayException invalid(String message) {
            return new GatewayException(GatewayErrorCode.INVALID_REQUEST, message);
        }
    }
}
