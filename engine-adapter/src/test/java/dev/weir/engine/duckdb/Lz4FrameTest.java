package dev.weir.engine.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class Lz4FrameTest {

    /** Linked blocks: "abcd" as it is; then "xy" and 12 bytes from 6 back, which are in both blocks; then "12345". */
    private static final String LINKED = "04224d18" + "404000" + "04000080" + "61626364" + "0b000000" + "28" + "7879"
            + "0600" + "50" + "3132333435" + "00000000";

    private static final String TEXT = "abcdxyabcdxyabcdxy12345";

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex);
    }

    private static String read(byte[] frame, int length) throws IOException {
        ByteBuffer plain = ByteBuffer.allocateDirect(length);
        Lz4Frame.read(ByteBuffer.wrap(frame), plain);
        return StandardCharsets.US_ASCII.decode(plain.flip()).toString();
    }

    @Test
    void aBlockMayReferToThoseBefore() throws Exception {
        assertThat(read(bytes(LINKED), TEXT.length())).isEqualTo(TEXT);
    }

    @Test
    void anotherLengthIsRefused() {
        for (int length : new int[] {0, TEXT.length() - 1, TEXT.length() + 1, 1000}) {
            assertThatThrownBy(() -> read(bytes(LINKED), length)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void aFrameThatEndsTooSoonIsRefused() {
        byte[] frame = bytes(LINKED);
        for (int end = 0; end < frame.length; end++) {
            byte[] cut = Arrays.copyOf(frame, end);
            assertThatThrownBy(() -> read(cut, TEXT.length())).isInstanceOf(IOException.class);
        }
    }

    @Test
    void aMatchFromBeforeTheStartIsRefused() {
        assertThatThrownBy(() -> read(bytes(LINKED.replace("0600" + "50", "0700" + "50")), TEXT.length()))
                .isInstanceOf(IOException.class);
    }

    @Test
    void noFrameIsBelievedToHoldMoreThanItCan() {
        assertThat(Lz4Frame.canHold(100, 25_500)).isTrue();
        assertThat(Lz4Frame.canHold(100, 256L << 20)).isFalse();
    }
}
