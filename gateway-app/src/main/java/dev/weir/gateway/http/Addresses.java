package dev.weir.gateway.http;

import java.nio.charset.StandardCharsets;
import org.springframework.web.util.UriUtils;

/** Addresses of this front, relative to its host: what a proxy in front is called, it does not know. */
final class Addresses {

    static final String QUERIES = "/v1/queries";
    static final String QUERY = QUERIES + "/{id}";
    static final String RESULT = QUERY + "/result";
    static final String ADMISSION = "/v1/admission";
    static final String ADMISSION_HISTORY = ADMISSION + "/history";
    static final String ADMISSION_EXPLAIN = ADMISSION + "/explain";
    static final String ADMISSION_LIMITS = ADMISSION + "/limits";
    static final String ROWS = "/v1/tables/{name}/rows";
    static final String WORKERS = "/v1/workers";
    static final String DRAIN = "/v1/drain";

    private Addresses() {}

    static String query(String id) {
        return QUERIES + "/" + UriUtils.encodePathSegment(id, StandardCharsets.UTF_8);
    }

    static String result(String id) {
        return query(id) + "/result";
    }
}
