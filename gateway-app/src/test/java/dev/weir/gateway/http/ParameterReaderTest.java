package dev.weir.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Numbers at the edge; {@link RequestTest} has the rest, over HTTP. */
class ParameterReaderTest {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1e400",
                "-1e400",
                "[1e999999999]",
                "{\"type\":\"DOUBLE\",\"value\":\"1e400\"}",
                "{\"type\":\"DOUBLE\",\"value\":1e400}",
                "{\"type\":\"FLOAT\",\"value\":\"1e39\"}"
            })
    void aNumberBeyondItsTypeIsRefusedByPosition(String parameter) {
        GatewayException refused = catchThrowableOfType(GatewayException.class, () -> read("[1," + parameter + "]"));
        assertThat(refused).isNotNull();
        assertThat(refused.code()).isEqualTo(GatewayErrorCode.INVALID_REQUEST);
        assertThat(refused.text()).contains("Parameter 2");
    }

    @Test
    void infinityIsAskedForByName() {
        assertThat(read("[{\"type\":\"DOUBLE\",\"value\":\"-Infinity\"},{\"type\":\"FLOAT\",\"value\":\"Infinity\"}]"))
                .isEqualTo(List.of(Double.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY));
    }

    @Test
    void theLargestDoubleIsNotBeyond() {
        assertThat(read("[1.7976931348623157e308, 4.9e-324, 1e-400]"))
                .isEqualTo(List.of(Double.MAX_VALUE, Double.MIN_VALUE, 0.0));
    }

    private static List<?> read(String array) {
        return ParameterReader.values(JSON.readTree(array));
    }
}
