package dev.weir.gateway.cli;

import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.StringNode;

/** The value of a {@code --param}: JSON where it is a JSON scalar, else text. */
final class ParameterValue {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private ParameterValue() {}

    static List<JsonNode> parseAll(List<String> values) {
        return values.stream().map(ParameterValue::parse).toList();
    }

    static JsonNode parse(String value) {
        try {
            JsonNode node = JSON.readTree(value);
            return node.isValueNode() && !node.isMissingNode() ? node : StringNode.valueOf(value);
        } catch (JacksonException e) {
            return StringNode.valueOf(value);
        }
    }
}
