package dev.weir.gateway.flightsql;

import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DateMilliVector;
import org.apache.arrow.vector.ExtensionTypeVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float2Vector;
import org.apache.arrow.vector.PeriodDuration;
import org.apache.arrow.vector.TimeMicroVector;
import org.apache.arrow.vector.TimeMilliVector;
import org.apache.arrow.vector.TimeNanoVector;
import org.apache.arrow.vector.TimeSecVector;
import org.apache.arrow.vector.TimeStampVector;
import org.apache.arrow.vector.UInt1Vector;
import org.apache.arrow.vector.UInt2Vector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.ValueVector;
import org.apache.arrow.vector.complex.DenseUnionVector;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.UnionVector;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.util.Text;
import org.jspecify.annotations.Nullable;

/**
 * Single values of Arrow vectors as the Java values that {@link dev.weir.engine.EngineQuery} takes. Each becomes an object
 * on the heap, and a few bytes of Arrow can stand for very many: they are counted.
 */
final class ParameterValues {

    private static final String EXTENSION_NAME = "ARROW:extension:name";
    private static final String UUID_EXTENSION = "arrow.uuid";

    private int left = FlightSqlSettings.MAX_PARAMETER_VALUES;

    /**
     * @throws GatewayException INVALID_REQUEST for a type that cannot be a parameter, TOO_LARGE for too many values
     */
    @Nullable
    Object get(ValueVector vector, int row) {
        if (--left < 0) {
            throw new GatewayException(
                    GatewayErrorCode.TOO_LARGE,
                    "One execution takes at most " + FlightSqlSettings.MAX_PARAMETER_VALUES
                            + " parameter values, those in lists counted one by one; send them in several.",
                    ErrorDetails.ofLimit(
                            "query", "parameter values", Integer.toString(FlightSqlSettings.MAX_PARAMETER_VALUES)));
        }
        if (vector instanceof ExtensionTypeVector<?> extension) {
            return extension(extension, row);
        }
        if (vector instanceof DenseUnionVector union) {
            return union.isNull(row) ? null : get(union.getVectorByType(union.getTypeId(row)), union.getOffset(row));
        }
        if (vector instanceof UnionVector union) {
            return union.isNull(row) ? null : get(union.getVector(row), row);
        }
        if (vector.isNull(row)) {
            return null;
        }
        return switch (vector.getMinorType()) {
            case BIT -> ((BitVector) vector).get(row) != 0;
            case TINYINT, SMALLINT, INT, FLOAT4, FLOAT8, DECIMAL, DECIMAL256 -> vector.getObject(row);
            case BIGINT -> ((BigIntVector) vector).get(row);
            case UINT1 -> (short) (((UInt1Vector) vector).get(row) & 0xff);
            case UINT2 -> (int) ((UInt2Vector) vector).get(row);
            case UINT4 -> ((UInt4Vector) vector).get(row) & 0xffff_ffffL;
            case UINT8 -> new BigInteger(Long.toUnsignedString(((UInt8Vector) vector).get(row)));
            case FLOAT2 -> ((Float2Vector) vector).getValueAsFloat(row);
            case VARCHAR, LARGEVARCHAR, VIEWVARCHAR -> text(vector, row);
            case VARBINARY, LARGEVARBINARY, VIEWVARBINARY -> vector.getObject(row);
            case FIXEDSIZEBINARY -> binary(vector, row);
            default -> temporalOrNested(vector, row);
        };
    }

    private @Nullable Object temporalOrNested(ValueVector vector, int row) {
        return switch (vector.getMinorType()) {
            case DATEDAY -> LocalDate.ofEpochDay(((DateDayVector) vector).get(row));
            case DATEMILLI -> LocalDate.ofEpochDay(Math.floorDiv(((DateMilliVector) vector).get(row), 86_400_000L));
            case TIMESEC -> LocalTime.ofSecondOfDay(((TimeSecVector) vector).get(row));
            case TIMEMILLI -> LocalTime.ofNanoOfDay(((TimeMilliVector) vector).get(row) * 1_000_000L);
            case TIMEMICRO -> LocalTime.ofNanoOfDay(((TimeMicroVector) vector).get(row) * 1_000L);
            case TIMENANO -> LocalTime.ofNanoOfDay(((TimeNanoVector) vector).get(row));
            case TIMESTAMPSEC, TIMESTAMPMILLI, TIMESTAMPMICRO, TIMESTAMPNANO ->
                timestamp((TimeStampVector) vector, row);
            case TIMESTAMPSECTZ, TIMESTAMPMILLITZ, TIMESTAMPMICROTZ, TIMESTAMPNANOTZ ->
                OffsetDateTime.of(timestamp((TimeStampVector) vector, row), ZoneOffset.UTC);
            case DURATION, INTERVALDAY -> vector.getObject(row);
            case INTERVALYEAR, INTERVALMONTHDAYNANO -> interval(vector, row);
            case LIST, LARGELIST, FIXED_SIZE_LIST -> list(vector, row);
            default -> throw unsupported(vector.getField());
        };
    }

    private static LocalDateTime timestamp(TimeStampVector vector, int row) {
        TimeUnit unit = ((ArrowType.Timestamp) vector.getField().getType()).getUnit();
        long perSecond = switch (unit) {
            case SECOND -> 1L;
            case MILLISECOND -> 1_000L;
            case MICROSECOND -> 1_000_000L;
            case NANOSECOND -> 1_000_000_000L;
        };
        long value = vector.get(row);
        long nanos = Math.floorMod(value, perSecond) * (1_000_000_000L / perSecond);
        return LocalDateTime.ofEpochSecond(Math.floorDiv(value, perSecond), (int) nanos, ZoneOffset.UTC);
    }

    /** Days and less; months have no fixed length and no Java type that the engine takes. */
    private static Duration interval(ValueVector vector, int row) {
        Object value = vector.getObject(row);
        if (value instanceof PeriodDuration both && both.getPeriod().toTotalMonths() == 0) {
            return both.getDuration().plusDays(both.getPeriod().getDays());
        }
        if (value instanceof Period period && period.toTotalMonths() == 0) {
            return Duration.ofDays(period.getDays());
        }
        throw FlightErrors.invalidRequest("Parameter " + vector.getName()
                + " is an interval of months, which cannot be bound; pass it as text and cast it in the statement.");
    }

    private List<@Nullable Object> list(ValueVector vector, int row) {
        int start;
        int end;
        FieldVector items;
        if (vector instanceof ListVector list) {
            start = list.getElementStartIndex(row);
            end = list.getElementEndIndex(row);
            items = list.getDataVector();
        } else if (vector instanceof LargeListVector list) {
            start = Math.toIntExact(list.getElementStartIndex(row));
            end = Math.toIntExact(list.getElementEndIndex(row));
            items = list.getDataVector();
        } else if (vector instanceof FixedSizeListVector list) {
            start = list.getElementStartIndex(row);
            end = list.getElementEndIndex(row);
            items = list.getDataVector();
        } else {
            throw unsupported(vector.getField());
        }
        List<@Nullable Object> values = new ArrayList<>();
        for (int item = start; item < end; item++) {
            values.add(get(items, item));
        }
        return values;
    }

    private static Object binary(ValueVector vector, int row) {
        byte[] bytes = (byte[]) vector.getObject(row);
        boolean isUuid = bytes.length == 16
                && UUID_EXTENSION.equals(vector.getField().getMetadata().get(EXTENSION_NAME));
        return isUuid ? uuid(bytes) : bytes;
    }

    private @Nullable Object extension(ExtensionTypeVector<?> vector, int row) {
        if (vector.isNull(row)) {
            return null;
        }
        Object value = get(vector.getUnderlyingVector(), row);
        boolean isUuid = vector.getField().getType() instanceof ArrowType.ExtensionType type
                && type.extensionName().equals(UUID_EXTENSION);
        return isUuid && value instanceof byte[] bytes && bytes.length == 16 ? uuid(bytes) : value;
    }

    private static UUID uuid(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new UUID(buffer.getLong(), buffer.getLong());
    }

    private static String text(ValueVector vector, int row) {
        if (!(vector.getObject(row) instanceof Text text)) {
            throw unsupported(vector.getField());
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(text.getBytes(), 0, Math.toIntExact(text.getLength())))
                    .toString();
        } catch (CharacterCodingException e) {
            throw FlightErrors.invalidRequest("Parameter " + vector.getName() + " is not UTF-8 text.");
        }
    }

    private static GatewayException unsupported(Field field) {
        return FlightErrors.invalidRequest("Parameter " + field.getName() + " has the Arrow type " + field.getType()
                + ", which cannot be bound; pass it as text and cast it in the statement.");
    }
}
