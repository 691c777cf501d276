/**
 * The HTTP front: {@code /v1/queries} and {@code /v1/admission}, described in docs/http-api.md.
 *
 * <p>The way of one query: {@code SubmitHandler} reads the request ({@code SubmissionReader}) and submits it;
 * {@code ResultCall} decides who takes the result (answer, spool, nobody); {@code ResultPump} carries it from the
 * {@code ChunkSource} (stream and {@code ResultEncoder}) to the connection; or {@code SpoolWriter} to disk, from where
 * {@code SpooledResult} reads it again through the same pump. Every failure ends in {@code Problems}.
 *
 * <p>Functional endpoints rather than annotated controllers: a handler gets the exchange and writes the body itself, with
 * no argument resolvers, message converters or content negotiation on the hot path, and one place ({@code Resource})
 * answers wrong methods. A small answer is encoded on the engine's own thread and leaves as one message with its length.
 *
 * <p>Event loops never encode, compress or touch the disk: the engine's thread encodes when a batch arrives, the pool
 * {@code weir-http-encode} when the connection asks for more, {@code weir-http-disk} reads and writes spooled results.
 *
 * <p>May import query, auth, and the engine SPI's value types; never another front.
 */
@NullMarked
package dev.weir.gateway.http;

import org.jspecify.annotations.NullMarked;
