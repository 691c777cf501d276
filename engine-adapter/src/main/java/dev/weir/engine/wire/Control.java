package dev.weir.engine.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * What a gateway says after its command. Any of these also tells that it still wants the answer.
 *
 * @param ack number of the first batch that it has not received; those before are not needed again
 * @param done whether it has received the end or the failure
 * @param cancel whether it wants no more; the answer then is a failure, once the engine has stopped
 * @param part of an upload that the frame's Arrow message belongs to; null for a frame without one
 * @param whole whether every message of the upload has been sent
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public record Control(
        @Nullable Long ack,
        boolean done,
        boolean cancel,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Integer part,
        boolean whole) {

    /** The gateway still wants the answer. */
    public static final Control PING = new Control(null, false, false, null, false);

    /** The gateway has the end or the failure. */
    public static final Control DONE = new Control(null, true, false, null, false);

    /** The gateway wants no more. */
    public static final Control CANCEL = new Control(null, false, true, null, false);

    /** The upload is whole. */
    public static final Control WHOLE = new Control(null, false, false, null, true);

    /** The gateway has the batches before this one. */
    public static Control ack(long next) {
        return new Control(next, false, false, null, false);
    }

    /** A message of this part comes with it. */
    public static Control ofPart(int part) {
        return new Control(null, false, false, part, false);
    }
}
