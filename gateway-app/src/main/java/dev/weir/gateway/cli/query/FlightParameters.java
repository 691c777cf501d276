package dev.weir.gateway.cli.query;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import tools.jackson.databind.JsonNode;

/** Parameters as one row of vectors, of the types that JSON values are bound as over HTTP. */
final class FlightParameters {

    private static final int MAX_PRECISION = 38;

    private FlightParameters() {}

    /** The caller closes it. */
    static VectorSchemaRoot root(List<JsonNode> values, BufferAllocator allocator) {
        List<FieldVector> vectors = new ArrayList<>();
        for (JsonNode value : values) {
            FieldVector vector = vector("p" + vectors.size(), value, allocator);
            vector.setValueCount(1);
            vectors.add(vector);
        }
        VectorSchemaRoot root = new VectorSchemaRoot(vectors);
        root.setRowCount(1);
        return root;
    }

    private static FieldVector vector(String name, JsonNode value, BufferAllocator allocator) {
        if (value.isNull()) {
            return new NullVector(name);
        }
        if (value.isBoolean()) {
            BitVector flag = new BitVector(name, allocator);
            flag.setSafe(0, value.booleanValue() ? 1 : 0);
            return flag;
        }
        if (value.isIntegralNumber() && value.canConvertToLong()) {
            BigIntVector number = new BigIntVector(name, allocator);
            number.setSafe(0, value.longValue());
            return number;
        }
        if (value.isNumber()) {
            return number(name, value, allocator);
        }
        VarCharVector text = new VarCharVector(name, allocator);
        text.setSafe(0, value.stringValue().getBytes(StandardCharsets.UTF_8));
        return text;
    }

    private static FieldVector number(String name, JsonNode value, BufferAllocator allocator) {
        BigDecimal exact = value.isIntegralNumber() ? new BigDecimal(value.bigIntegerValue()) : value.decimalValue();
        BigInteger digits = exact.unscaledValue();
        int precision = Math.max(exact.precision(), exact.scale());
        if (digits.bitLength() > 127 || exact.scale() < 0 || precision > MAX_PRECISION) {
            Float8Vector rounded = new Float8Vector(name, allocator);
            rounded.setSafe(0, exact.doubleValue());
            return rounded;
        }
        DecimalVector decimal = new DecimalVector(name, allocator, precision, exact.scale());
        decimal.setSafe(0, exact);
        return decimal;
    }
}
