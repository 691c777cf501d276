package dev.weir.gateway.flightsql;

import com.google.protobuf.ByteString;
import dev.weir.engine.SessionSettings;
import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What a ticket stands for: everything needed to run its statement, so that a read can be redeemed on any gateway that
 * has the key.
 *
 * @param id unique; the running query is registered under it
 * @param issuer the process that must redeem it, for a write (that process remembers what was redeemed); empty for a read
 * @param sql the statement
 * @param parameters bound to it
 * @param settings the session's when the ticket was issued
 * @param options limits asked for when the ticket was issued
 * @param place the transaction or session that it must be redeemed in
 * @param outcome of a statement that was run already, for this ticket to give any number of times; else null
 */
record StatementTicket(
        String id,
        String issuer,
        String sql,
        ParameterPayload parameters,
        SessionSettings settings,
        RequestOptions options,
        Places.Ref place,
        @Nullable Outcome outcome) {

    private static final int FORMAT = 4;

    /** A ticket carries the parameters bound to its statement, to the client and back. */
    private static final long MAX_PARAMETER_BYTES = 4L << 20;

    /**
     * What a statement without rows did.
     *
     * @param count rows changed, where it counts them
     */
    record Outcome(OptionalLong count) {}

    /** @throws GatewayException TOO_LARGE when there are more parameters than a ticket carries */
    static void checkSize(ParameterPayload parameters) {
        if (parameters.size() > MAX_PARAMETER_BYTES) {
            throw new GatewayException(
                    GatewayErrorCode.TOO_LARGE,
                    "A query takes at most " + MAX_PARAMETER_BYTES + " bytes of parameters.",
                    ErrorDetails.ofLimit("query", "query parameter bytes", Long.toString(MAX_PARAMETER_BYTES)));
        }
    }

    /** Whether it may be redeemed once only. */
    boolean isWrite() {
        return !issuer.isEmpty();
    }

    byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256 + sql.length());
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(FORMAT);
            out.writeUTF(id);
            out.writeUTF(issuer);
            writeBytes(out, sql.getBytes(StandardCharsets.UTF_8));
            writeBytes(out, parameters.toBytes().toByteArray());
            writeText(out, settings.catalog());
            writeText(out, settings.schema());
            writeText(out, settings.timeZone());
            out.writeLong(options.statementTimeout().map(Duration::toMillis).orElse(-1L));
            out.writeLong(options.queueTimeout().map(Duration::toMillis).orElse(-1L));
            out.writeLong(options.memoryBytes().orElse(-1L));
            out.writeBoolean(options.heavy());
            writeText(out, options.text(RequestOptions.PRIORITY));
            writeText(out, options.text(RequestOptions.COMPRESSION));
            out.writeUTF(place.transaction());
            out.writeUTF(place.session());
            out.writeBoolean(outcome != null);
            if (outcome != null) {
                out.writeLong(outcome.count().orElse(-1L));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * @param bytes whose signature was checked
     * @throws GatewayException when another version of the gateway wrote them
     */
    static StatementTicket decode(byte[] bytes) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            if (in.readByte() != FORMAT) {
                throw FlightErrors.invalidRequest("The ticket was issued by another version; ask for a new one.");
            }
            return new StatementTicket(
                    in.readUTF(),
                    in.readUTF(),
                    new String(readBytes(in), StandardCharsets.UTF_8),
                    ParameterPayload.of(ByteString.copyFrom(readBytes(in))),
                    new SessionSettings(readText(in), readText(in), readText(in)),
                    new RequestOptions(
                                    readDuration(in),
                                    readDuration(in),
                                    readLong(in),
                                    in.readBoolean(),
                                    Optional.empty(),
                                    OptionalInt.empty(),
                                    false,
                                    Optional.empty())
                            .with(RequestOptions.PRIORITY, readText(in))
                            .with(RequestOptions.COMPRESSION, readText(in)),
                    new Places.Ref(in.readUTF(), in.readUTF()),
                    in.readBoolean() ? new Outcome(readLong(in)) : null);
        } catch (IOException e) {
            throw FlightErrors.invalidRequest("The ticket cannot be read; ask for a new one.");
        }
    }

    private static void writeBytes(DataOutputStream out, byte[] bytes) throws IOException {
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static byte[] readBytes(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > in.available()) {
            throw new IOException("length");
        }
        return in.readNBytes(length);
    }

    private static void writeText(DataOutputStream out, @Nullable String text) throws IOException {
        out.writeBoolean(text != null);
        if (text != null) {
            out.writeUTF(text);
        }
    }

    private static @Nullable String readText(DataInputStream in) throws IOException {
        return in.readBoolean() ? in.readUTF() : null;
    }

    private static Optional<Duration> readDuration(DataInputStream in) throws IOException {
        long millis = in.readLong();
        return millis < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
    }

    private static OptionalLong readLong(DataInputStream in) throws IOException {
        long value = in.readLong();
        return value < 0 ? OptionalLong.empty() : OptionalLong.of(value);
    }
}
