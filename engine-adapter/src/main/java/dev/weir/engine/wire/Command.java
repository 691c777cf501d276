package dev.weir.engine.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.JsonNode;
import dev.weir.engine.Access;
import dev.weir.engine.MetadataRequest;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** What a gateway asks with the first message of a call. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "do")
@JsonSubTypes({
    @JsonSubTypes.Type(value = Command.Run.class, name = "run"),
    @JsonSubTypes.Type(value = Command.Load.class, name = "load"),
    @JsonSubTypes.Type(value = Command.Metadata.class, name = "metadata"),
    @JsonSubTypes.Type(value = Command.Resume.class, name = "resume"),
    @JsonSubTypes.Type(value = Command.Describe.class, name = "describe"),
    @JsonSubTypes.Type(value = Command.Hold.class, name = "hold"),
    @JsonSubTypes.Type(value = Command.Check.class, name = "check"),
    @JsonSubTypes.Type(value = Command.Memory.class, name = "memory"),
    @JsonSubTypes.Type(value = Command.Report.class, name = "report")
})
public sealed interface Command {

    /**
     * Runs a statement.
     *
     * @param token names the run when it is resumed; random, so that nobody else can
     */
    record Run(String token, WireQuery query) implements Command {}

    /**
     * Loads the rows that are sent after it; the frame has their schema. Goes on like a run.
     *
     * @param token names the run when it is resumed, for its outcome alone
     */
    record Load(String token, WireIngest ingest) implements Command {}

    /**
     * Asks the catalog; goes on like a run.
     *
     * @param session token of the session that asks; null for none
     */
    record Metadata(
            String token,
            MetadataRequest request,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String session) implements Command {}

    /**
     * Goes on with a run whose call broke.
     *
     * @param nextSeq number of the first batch that was not received
     * @param schema whether the schema was not received either
     * @param cancel whether to cancel it instead
     */
    record Resume(String token, long nextSeq, boolean schema, boolean cancel) implements Command {}

    /** Describes a statement. */
    record Describe(WireQuery query) implements Command {}

    /**
     * Holds a session of the engine for as long as its call lasts; statements name it by its token.
     *
     * @param access what the session may do at most
     */
    record Hold(String token, Access access) implements Command {}

    /** Runs a trivial query. */
    record Check() implements Command {}

    /** Asks what the engine holds in memory and temporary files. */
    record Memory() implements Command {}

    /** Asks for the worker's figures. */
    record Report() implements Command {}

    /**
     * A command as it travels.
     *
     * @param protocol {@link Wire#PROTOCOL} of the gateway, known before the command is read
     */
    record Envelope(int protocol, JsonNode command) {

        /** @throws IOException when it is no known command */
        public Command open() throws IOException {
            return Json.read(command, Command.class);
        }
    }
}
