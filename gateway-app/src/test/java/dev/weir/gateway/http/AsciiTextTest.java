package dev.weir.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The text of numbers, against the platform's own. */
class AsciiTextTest {

    private static long[] numbers() {
        Random random = new Random(11);
        LongStream random64 = random.longs(2000).map(n -> n >> random.nextInt(64));
        LongStream powers =
                LongStream.iterate(1, n -> n * 10).limit(19).flatMap(n -> LongStream.of(n - 1, n, n + 1, -n));
        LongStream edges = LongStream.of(
                0,
                1,
                9,
                10,
                99,
                100,
                101,
                999,
                1000,
                Integer.MAX_VALUE,
                Integer.MAX_VALUE + 1L,
                Long.MAX_VALUE,
                Long.MIN_VALUE);
        return LongStream.concat(LongStream.concat(edges, powers), random64).toArray();
    }

    @Test
    void numbersAreWrittenAsThePlatformDoes() {
        for (long number : numbers()) {
            assertThat(new AsciiText().put(number).toString()).isEqualTo(Long.toString(number));
        }
    }

    @Test
    void paddingAddsZerosAndNeverCuts() {
        for (long number : numbers()) {
            if (number >= 0) {
                for (int width = 1; width <= 19; width++) {
                    assertThat(new AsciiText().padded(number, width).toString())
                            .isEqualTo(String.format("%0" + width + "d", number));
                }
            }
        }
    }

    @Test
    void decimalsAreWrittenAsThePlatformDoes() {
        for (long number : numbers()) {
            if (number == Long.MIN_VALUE) {
                continue;
            }
            for (int scale : new int[] {0, 1, 2, 9, 18}) {
                AsciiText text = new AsciiText();
                IsoText.decimal(text, number, scale);
                assertThat(text.toString())
                        .isEqualTo(new BigDecimal(BigInteger.valueOf(number), scale).toPlainString());
            }
        }
    }
}
