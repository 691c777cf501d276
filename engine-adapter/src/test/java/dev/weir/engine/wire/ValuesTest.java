package dev.weir.engine.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.engine.Access;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.QueryContext;
import dev.weir.engine.SessionSettings;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Queries and their parameters keep type and value on the way. */
class ValuesTest {

    private static EngineQuery query(List<?> row) {
        return new EngineQuery(
                "q1",
                "select 'é \uD83D\uDE00 \uD800'",
                Access.WRITE,
                new SessionSettings("c", null, "Europe/Berlin"),
                List.of(row, List.of()),
                77,
                new QueryContext("ann", 1L << 40, true, Duration.ofMillis(1234)));
    }

    private static EngineQuery travel(EngineQuery query) throws IOException {
        byte[] sent = Frame.of(new Command.Run("token", WireQuery.of(query))).command();
        Command.Run read = (Command.Run) Json.read(sent, Command.Envelope.class).open();
        assertThat(read.token()).isEqualTo("token");
        return read.query().toQuery();
    }

    @Test
    void everyTypeArrives() throws IOException {
        List<Object> row = Arrays.asList(
                null,
                true,
                false,
                Byte.MIN_VALUE,
                Short.MAX_VALUE,
                Integer.MIN_VALUE,
                Long.MIN_VALUE,
                Long.MAX_VALUE,
                new BigInteger("-170141183460469231731687303715884105728"),
                Float.MIN_VALUE,
                -0.0f,
                Float.NaN,
                Float.NEGATIVE_INFINITY,
                Math.PI,
                -0.0,
                Double.NaN,
                Double.POSITIVE_INFINITY,
                Double.MIN_VALUE,
                new BigDecimal("1.500"),
                new BigDecimal("-12345678901234567890123456789.012345678"),
                new BigDecimal("1E+30"),
                "",
                "null",
                "é \uD83D\uDE00 \uD800 \" \\ \n \u0000 \u2028",
                UUID.fromString("ffffffff-1234-5678-9abc-000000000001"),
                LocalDate.of(-5, 1, 2),
                LocalDate.of(123_456, 12, 31),
                LocalTime.MAX,
                LocalTime.MIDNIGHT,
                LocalDateTime.of(2024, 2, 29, 23, 59, 59, 123_456_789),
                OffsetDateTime.of(1, 1, 1, 0, 0, 0, 1, ZoneOffset.ofHoursMinutesSeconds(-3, -30, -15)),
                OffsetDateTime.of(2024, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC),
                Duration.ofSeconds(-1, 1),
                Duration.ofSeconds(Long.MIN_VALUE),
                Duration.ofSeconds(Long.MAX_VALUE, 999_999_999),
                List.of(),
                Arrays.asList(1, null, List.of(2L, "x"), List.of(List.of(new BigDecimal("1.0")))));
        EngineQuery read = travel(query(row));
        assertThat(read.parameterRows()).hasSize(2);
        assertThat((List<Object>) new ArrayList<Object>(read.parameterRows().get(0)))
                .isEqualTo(row);
        assertThat(read.parameterRows().get(1)).isEmpty();
        assertThat(read.sql()).isEqualTo("select 'é \uD83D\uDE00 \uD800'");
        assertThat(read.access()).isEqualTo(Access.WRITE);
        assertThat(read.settings()).isEqualTo(new SessionSettings("c", null, "Europe/Berlin"));
        assertThat(read.batchRows()).isEqualTo(77);
        assertThat(read.context()).isEqualTo(new QueryContext("ann", 1L << 40, true, Duration.ofMillis(1234)));
    }

    @Test
    void bytesArrive() throws IOException {
        byte[] all = new byte[256];
        for (int i = 0; i < 256; i++) {
            all[i] = (byte) i;
        }
        List<?> row = travel(query(List.of(all, new byte[0], List.of(all))))
                .parameterRows()
                .get(0);
        assertThat((byte[]) row.get(0)).isEqualTo(all);
        assertThat((byte[]) row.get(1)).isEmpty();
        assertThat((byte[]) ((List<?>) row.get(2)).get(0)).isEqualTo(all);
    }

    @Test
    void otherTypesAreRefusedHere() {
        assertThatThrownBy(() -> WireQuery.of(query(List.of(1, new StringBuilder()))))
                .isInstanceOfSatisfying(EngineException.class, e -> {
                    assertThat(e.failure()).isEqualTo(EngineFailure.INVALID_PARAMETER);
                    assertThat(e).hasMessageContaining("Parameter 2");
                });
        List<Object> nested = List.of();
        for (int i = 0; i < 5_000; i++) {
            nested = List.of(nested);
        }
        List<Object> row = nested;
        assertThatThrownBy(() -> WireQuery.of(query(row)))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.failure()).isEqualTo(EngineFailure.INVALID_PARAMETER));
    }

    @Test
    void failuresKeepWhatTheyTell() throws IOException {
        EngineException failure =
                new EngineException(EngineFailure.SYNTAX, "No \"such\" thing", "42601", 12, new RuntimeException("x"));
        byte[] sent = Frame.of(Reply.Failed.of(failure)).control();
        EngineException read = ((Reply.Failed) Json.read(sent, Reply.class)).toException();
        assertThat(read.failure()).isEqualTo(EngineFailure.SYNTAX);
        assertThat(read).hasMessage("No \"such\" thing").hasNoCause();
        assertThat(read.sqlState()).isEqualTo("42601");
        assertThat(read.position()).isEqualTo(12);
        assertThat(new Reply.Failed("FUTURE", "m", null, -1).toException().failure())
                .isEqualTo(EngineFailure.INTERNAL);
    }

    @Test
    void whatANewerSideAddsIsIgnored() throws IOException {
        byte[] json =
                "{\"is\":\"batch\",\"seq\":3,\"rows\":5,\"colour\":{\"red\":[1]}}".getBytes(StandardCharsets.UTF_8);
        assertThat(Json.read(json, Reply.class)).isEqualTo(new Reply.Batch(3, 5));
        byte[] control = "{\"later\":1,\"ack\":7}".getBytes(StandardCharsets.UTF_8);
        assertThat(Json.read(control, Control.class)).isEqualTo(Control.ack(7));
    }
}
