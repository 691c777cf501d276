package dev.weir.engine.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * What a gateway says after its command. Any of these also tells that it still wants the answer.
 *
 * @param ack number of the first batch that it has not received; those before are not needed again
 * @param done whether it has received the end or the failure
 * @param cancel whether it wants no more; the answer then is a failure, once the engine has stopped
 */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public record Control(@Nullable Long ack, boolean done, boolean cancel) {

    /** The gateway still wants the answer. */
    public static final Control PING = new Control(null, false, false);

    /** The gateway has the end or the failure. */
    public static final Control DONE = new Control(null, true, false);

    /** The gateway wants no more. */
    public static final Control CANCEL = new Control(null, false, true);

    /** The gateway has the batches before this one. */
    public static Control ack(long next) {
        return new Control(next, false, false);
    }
}
