package dev.weir.gateway.cli.tpch;

import io.trino.tpch.TpchColumn;
import io.trino.tpch.TpchEntity;
import java.nio.charset.StandardCharsets;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;

/**
 * A TPC-H column: its type in SQL and in Arrow, and how a value gets into a vector. The types are those of DuckDB's own
 * tpch extension, so that results do not depend on who made the data.
 */
enum ColumnWriter {
    BIGINT("BIGINT", new ArrowType.Int(64, true)) {
        @Override
        <E extends TpchEntity> void write(TpchColumn<E> column, E entity, FieldVector vector, int row) {
            ((BigIntVector) vector).setSafe(row, column.getIdentifier(entity));
        }
    },
    /** A small number that the extension stores in 64 bits. */
    WIDE_INTEGER("BIGINT", new ArrowType.Int(64, true)) {
        @Override
        <E extends TpchEntity> void write(TpchColumn<E> column, E entity, FieldVector vector, int row) {
            ((BigIntVector) vector).setSafe(row, column.getInteger(entity));
        }
    },
    INTEGER("INTEGER", new ArrowType.Int(32, true)) {
        @Override
        <E extends TpchEntity> void write(TpchColumn<E> column, E entity, FieldVector vector, int row) {
            ((IntVector) vector).setSafe(row, column.getInteger(entity));
        }
    },
    /** A key of nation or region, which the extension stores in 32 bits. */
    SMALL_KEY("INTEGER", new ArrowType.Int(32, true)) {
        @Override
        <E extends TpchEntity> void write(TpchColumn<E> column, E entity, FieldVector vector, int row) {
            ((IntVector) vector).setSafe(row, Math.toIntExact(column.getIdentifier(entity)));
        }
    },
    DECIMAL("DECIMAL(15,2)", new ArrowType.Decimal(15, 2, 128)) {
        @Override
        <E extends TpchEntity> void write(TpchColumn<E> column, E entity, FieldVector vector, int row) {
            // The generator holds cents and divides them by 100: rounding gives the exact cents back.
            ((DecimalVector) vector).setSafe(row, Math.round(column.getDouble(entity) * 100));
        }
    },
    DATE("DATE", new ArrowType.Date(DateUnit.DAY)) {
        @Override
        <E extends TpchEntity> void write(TpchColumn<E> column, E entity, FieldVector vector, int row) {
            ((DateDayVector) vector).setSafe(row, column.getDate(entity));
        }
    },
    VARCHAR("VARCHAR", ArrowType.Utf8.INSTANCE) {
        @Override
        <E extends TpchEntity> void write(TpchColumn<E> column, E entity, FieldVector vector, int row) {
            ((VarCharVector) vector).setSafe(row, column.getString(entity).getBytes(StandardCharsets.UTF_8));
        }
    };

    private final String sqlType;
    private final ArrowType arrowType;

    ColumnWriter(String sqlType, ArrowType arrowType) {
        this.sqlType = sqlType;
        this.arrowType = arrowType;
    }

    static ColumnWriter of(TpchColumn<?> column) {
        String name = column.getColumnName();
        return switch (column.getType().getBase()) {
            case IDENTIFIER -> name.endsWith("nationkey") || name.endsWith("regionkey") ? SMALL_KEY : BIGINT;
            case INTEGER -> name.equals("l_linenumber") || name.equals("ps_availqty") ? WIDE_INTEGER : INTEGER;
            case DOUBLE -> DECIMAL;
            case DATE -> DATE;
            case VARCHAR -> VARCHAR;
        };
    }

    String sqlType() {
        return sqlType;
    }

    Field field(TpchColumn<?> column) {
        return Field.notNullable(column.getColumnName(), arrowType);
    }

    /** Writes the entity's value of the column into a row of the vector. */
    abstract <E extends TpchEntity> void write(TpchColumn<E> column, E entity, FieldVector vector, int row);
}
