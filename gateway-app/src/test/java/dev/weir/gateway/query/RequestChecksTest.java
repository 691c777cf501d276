package dev.weir.gateway.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.admission.Priority;
import dev.weir.auth.Identity;
import dev.weir.auth.Role;
import dev.weir.engine.Access;
import dev.weir.engine.SessionSettings;
import dev.weir.engine.StatementKind;
import dev.weir.engine.StatementScan;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestChecksTest {

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -1, 0, 1, 512, (1 << 20) - 1})
    void aReservationBelowOneMebibyteIsRefused(long bytes) {
        GatewayException refused = catchThrowableOfType(GatewayException.class, () -> check(bytes));
        assertThat(refused).isNotNull();
        assertThat(refused.code()).isEqualTo(GatewayErrorCode.INVALID_REQUEST);
        assertThat(refused.text()).contains("memory").contains("1MB");
    }

    @Test
    void oneMebibyteIsEnough() {
        assertThatCode(() -> check(1 << 20)).doesNotThrowAnyException();
    }

    private static void check(long bytes) {
        Duration limit = Duration.ofMinutes(1);
        RequestChecks.check(
                new Identity("ann", List.of(), Role.READER),
                Access.READ,
                new StatementScan(StatementKind.QUERY, Access.READ, 1, false),
                new QueryRequest(
                        Front.HTTP,
                        "select 1",
                        List.of(),
                        SessionSettings.NONE,
                        Optional.empty(),
                        Optional.empty(),
                        OptionalLong.of(bytes),
                        Priority.NORMAL,
                        false,
                        Map.of()),
                new QueryLimits.Clocks(limit, limit, limit),
                false);
    }
}
