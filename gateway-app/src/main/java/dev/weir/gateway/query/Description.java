package dev.weir.gateway.query;

import dev.weir.engine.StatementKind;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * What a statement would take and give.
 *
 * @param kind of the statement
 * @param givesRows whether it answers with rows; else with a count
 * @param schema equal to the schema of its result; no fields when it gives no rows
 * @param ordered whether its rows have an order of their own
 * @param parameters one field per positional parameter; none when there are none
 */
public record Description(StatementKind kind, boolean givesRows, boolean ordered, Schema schema, Schema parameters) {}
