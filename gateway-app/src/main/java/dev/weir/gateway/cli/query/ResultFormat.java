package dev.weir.gateway.cli.query;

/** How a result is printed. The names are what the user types. */
public enum ResultFormat {
    table("application/json"),
    csv("text/csv"),
    json("application/json"),
    ndjson("application/x-ndjson"),
    arrow("application/vnd.apache.arrow.stream");

    private final String mediaType;

    ResultFormat(String mediaType) {
        this.mediaType = mediaType;
    }

    /** What the gateway is asked for. */
    public String mediaType() {
        return mediaType;
    }

    /** Whether it is not for the eye. */
    public boolean isBinary() {
        return this == arrow;
    }
}
