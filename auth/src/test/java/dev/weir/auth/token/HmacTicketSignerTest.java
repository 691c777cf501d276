package dev.weir.auth.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.auth.MutableClock;
import dev.weir.auth.token.TicketRefusedException.Reason;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HmacTicketSignerTest {

    private static final byte[] PAYLOAD = "select 1".getBytes(StandardCharsets.UTF_8);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final MutableClock clock = new MutableClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final HmacTicketSigner signer = new HmacTicketSigner(new SigningKey(new byte[32]), clock);

    @Test
    void anyPayloadComesBackToItsUser() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            byte[] payload = new byte[random.nextInt(2000)];
            random.nextBytes(payload);
            String user = "user" + random.nextInt(10);
            assertThat(signer.verify(user, signer.sign(user, payload, MINUTE)))
                    .as("seed %d", seed)
                    .isEqualTo(payload);
        }
    }

    @Test
    void noBitCanBeChanged() {
        byte[] ticket = signer.sign("ann", PAYLOAD, MINUTE);
        for (int bit = 0; bit < ticket.length * 8; bit++) {
            byte[] changed = ticket.clone();
            changed[bit / 8] ^= (byte) (1 << (bit % 8));
            assertThat(refusal("ann", changed))
                    .as("bit %d", bit)
                    .isEqualTo(bit < 8 ? Reason.MALFORMED : Reason.TAMPERED);
        }
    }

    @Test
    void noByteCanBeAddedOrTakenAway() {
        byte[] ticket = signer.sign("ann", PAYLOAD, MINUTE);
        for (int length = 0; length < ticket.length + 8; length++) {
            if (length != ticket.length) {
                assertThat(refusal("ann", Arrays.copyOf(ticket, length)))
                        .as("length %d", length)
                        .isIn(Reason.MALFORMED, Reason.TAMPERED);
            }
        }
    }

    @Test
    void anotherUserIsRefused() {
        assertThat(refusal("bob", signer.sign("ann", PAYLOAD, MINUTE))).isEqualTo(Reason.OTHER_USER);
    }

    @Test
    void aTicketExpiresOnTheMillisecond() {
        byte[] ticket = signer.sign("ann", PAYLOAD, MINUTE);

        clock.advance(MINUTE.minusMillis(1));
        assertThat(signer.verify("ann", ticket)).isEqualTo(PAYLOAD);
        clock.advance(Duration.ofMillis(1));
        assertThat(refusal("ann", ticket)).isEqualTo(Reason.EXPIRED);
    }

    @Test
    void anotherKeysTicketIsRefused() {
        byte[] other = new byte[32];
        other[31] = 1;
        byte[] ticket = new HmacTicketSigner(new SigningKey(other), clock).sign("ann", PAYLOAD, MINUTE);

        assertThat(refusal("ann", ticket)).isEqualTo(Reason.TAMPERED);
    }

    @Test
    void sizesAndTimesAreBounded() {
        byte[] largest = new byte[HmacTicketSigner.MAX_PAYLOAD_BYTES];
        assertThat(signer.verify("ann", signer.sign("ann", largest, MINUTE))).hasSameSizeAs(largest);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> signer.sign("ann", new byte[HmacTicketSigner.MAX_PAYLOAD_BYTES + 1], MINUTE));
        assertThatIllegalArgumentException().isThrownBy(() -> signer.sign("ann", PAYLOAD, Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> signer.sign("ann", PAYLOAD, Duration.ofDays(31)));
        assertThat(refusal("ann", new byte[HmacTicketSigner.MAX_PAYLOAD_BYTES + 1000]))
                .isEqualTo(Reason.MALFORMED);
    }

    private Reason refusal(String user, byte[] ticket) {
        return catchThrowableOfType(TicketRefusedException.class, () -> signer.verify(user, ticket))
                .reason();
    }
}
