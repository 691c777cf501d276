package dev.weir.gateway.query;

import dev.weir.admission.AdmissionLimits;
import java.util.Map;

/** The limits in force. Thread-safe; the first three methods are called for each query and do not block. */
public interface LimitsSource {

    AdmissionLimits admission();

    QueryLimits clocks();

    /** Share of the machine's memory above which nothing is started, more than 0 and at most 1. */
    double highWater();

    /** All limits as the configuration writes them: a tree of maps, texts and numbers, without what is not set. */
    Map<String, Object> tree();

    /**
     * Changes what is given; a null takes back what was changed before. Holds until the next start or the next change of
     * the limits file. May block for a file.
     *
     * @param changes of the shape of {@link #tree}
     * @param persist writes them to the limits file, too
     * @throws GatewayException INVALID_REQUEST that names the property, with nothing changed
     */
    void change(Map<String, ?> changes, boolean persist);
}
