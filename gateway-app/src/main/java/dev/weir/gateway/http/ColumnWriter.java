package dev.weir.gateway.http;

import tools.jackson.core.JsonGenerator;

/**
 * Writes the values of one column as text. Reads the vector's memory; valid for one batch. One thread at a time.
 *
 * <p>Callers check {@link #isNull} first.
 */
abstract class ColumnWriter {

    abstract boolean isNull(int row);

    /** Writes one JSON value. */
    abstract void json(JsonGenerator json, int row);

    /** Writes one CSV field, quoted where it must be. */
    abstract void csv(CsvOutput csv, int row);

    final void jsonOrNull(JsonGenerator json, int row) {
        if (isNull(row)) {
            json.writeNull();
        } else {
            json(json, row);
        }
    }
}
