package dev.weir.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.gateway.query.QueryRequest;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How the parameters of a statement are read. */
class RequestParametersTest extends RequestSupport {

    @Test
    void jsonParametersKeepTheirValueExactly() {
        QueryRequest request = asked(json("{\"sql\":\"x\",\"parameters\":[null,true,1,-9223372036854775808,"
                + "18446744073709551616,1.50,1e3,1e-400,\"t\",[1,[\"a\",null]]]}"));
        assertThat(request.parameterRows().get(0))
                .isEqualTo(Arrays.asList(
                        null,
                        true,
                        1L,
                        Long.MIN_VALUE,
                        new BigInteger("18446744073709551616"),
                        new BigDecimal("1.50"),
                        1000.0,
                        0.0,
                        "t",
                        List.of(1L, Arrays.asList("a", null))));
    }

    @Test
    void typedParametersCarryWhatJsonHasNot() {
        QueryRequest request = asked(json("""
                {"sql":"x","parameters":[
                  {"type":"DATE","value":"2024-01-31"}, {"type":"time","value":"12:30:00.5"},
                  {"type":"TIMESTAMP","value":"2024-01-31T12:30:00"},
                  {"type":"TIMESTAMPTZ","value":"2024-01-31 12:30:00+02:00"},
                  {"type":"DECIMAL","value":"12345678901234567890.12"},
                  {"type":"UUID","value":"f81d4fae-7dec-11d0-a765-00a0c91e6bf6"},
                  {"type":"INTERVAL","value":"PT1H30M"}, {"type":"INTEGER","value":5},
                  {"type":"DOUBLE","value":"NaN"}, {"type":"HUGEINT","value":"170141183460469231731687303715884105727"},
                  {"type":"DATE","value":null}, [{"type":"DATE","value":"2024-01-31"}]
                ]}
                """));
        assertThat(request.parameterRows().get(0))
                .isEqualTo(Arrays.asList(
                        LocalDate.of(2024, 1, 31),
                        LocalTime.of(12, 30, 0, 500_000_000),
                        LocalDateTime.of(2024, 1, 31, 12, 30),
                        OffsetDateTime.parse("2024-01-31T12:30:00+02:00"),
                        new BigDecimal("12345678901234567890.12"),
                        UUID.fromString("f81d4fae-7dec-11d0-a765-00a0c91e6bf6"),
                        Duration.ofMinutes(90),
                        5,
                        Double.NaN,
                        new BigInteger("170141183460469231731687303715884105727"),
                        null,
                        List.of(LocalDate.of(2024, 1, 31))));
        QueryRequest blob = asked(json("{\"sql\":\"x\",\"parameters\":[{\"type\":\"BLOB\",\"value\":\"AP8=\"}]}"));
        assertThat((byte[]) blob.parameterRows().get(0).get(0)).containsExactly(0, 0xFF);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"type\":\"DATE\",\"value\":\"31.1.2024\"}",
                "{\"type\":\"WHAT\",\"value\":\"1\"}",
                "{\"type\":\"DATE\"}",
                "{\"value\":\"2024-01-31\"}",
                "{\"type\":\"DATE\",\"value\":[]}",
                "{\"type\":\"DATE\",\"value\":\"2024-01-31\",\"x\":1}",
                "{\"type\":\"TINYINT\",\"value\":300}",
                "{\"type\":\"BLOB\",\"value\":\"???\"}",
                "{\"type\":\"UUID\",\"value\":\"1-1-1-1-1\"}",
                "{\"type\":\"DECIMAL\",\"value\":\"1e999999999\"}",
                "{\"type\":\"BOOLEAN\",\"value\":\"yes\"}",
                "{\"type\":\"DOUBLE\",\"value\":\"0x1p3\"}"
            })
    void aParameterThatIsNotOfItsTypeIsRefusedByPosition(String parameter) {
        refused(json("{\"sql\":\"x\",\"parameters\":[1," + parameter + "]}"), "arameter 2");
    }

    @Test
    void digitsWithoutEndAreRefusedAtOnce() {
        refused(
                json("{\"sql\":\"x\",\"parameters\":[{\"type\":\"HUGEINT\",\"value\":\"" + "9".repeat(60_000)
                        + "\"}]}"),
                "too long");
        refused(json("{\"sql\":\"x\",\"parameters\":[" + "9".repeat(60_000) + "]}"), "JSON");
    }
}
