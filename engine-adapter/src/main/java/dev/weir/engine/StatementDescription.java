package dev.weir.engine;

import org.apache.arrow.vector.types.pojo.Schema;

/**
 * What a prepared statement would take and give.
 *
 * @param schema of its result, equal to the schema of the executed result; no fields when it gives no rows
 * @param parameters one field per positional parameter, in order; of Arrow's null type where the engine cannot tell
 */
public record StatementDescription(Schema schema, Schema parameters) {}
