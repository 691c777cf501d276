/**
 * The Flight SQL front: RPCs in, queries through {@link dev.weir.gateway.query.QueryService}, Arrow streams out.
 *
 * <p>{@link dev.weir.gateway.flightsql.FlightSqlFront} is the server. Every call passes {@code CallInterceptor}, which
 * authenticates it and leaves a {@code Caller} in the gRPC context; {@code FlightSqlService} dispatches. Nothing here
 * blocks a thread: results are pumped by a state machine ({@code ResultPump}), uploads are gathered message by message
 * ({@code PutCall}).
 *
 * <p>May import query, auth, and the engine SPI's value types; never another front.
 */
@NullMarked
package dev.weir.gateway.flightsql;

import org.jspecify.annotations.NullMarked;
