/**
 * The protocol between a gateway and its workers. For {@code engine.remote} and {@code engine.worker} only.
 *
 * <p>One gRPC method, Flight's {@code DoExchange}; messages are {@code FlightData}. The gateway's first message is a
 * {@link dev.weir.engine.wire.Command}, the later ones are {@link dev.weir.engine.wire.Control}; the worker's are
 * {@link dev.weir.engine.wire.Reply}, some with an Arrow IPC message beside the JSON.
 *
 * <p>A run (or a question about the catalog) has a token that its gateway made. Its batches are numbered; the worker
 * holds each until the gateway has confirmed it, within a window, and sends nothing more when that is full. When a call
 * breaks, {@code resume} goes on at the first number that was not received, so that nothing is missing and nothing comes
 * twice. The end and a failure are confirmed too ({@code done}), and the worker closes the call when the query's slot is
 * free: only then has the query stopped. A run whose gateway says nothing for the heartbeat timeout is cancelled.
 *
 * <p>Describing, checks and reports are one command and one reply; they end with their call.
 */
@NullMarked
package dev.weir.engine.wire;

import org.jspecify.annotations.NullMarked;
