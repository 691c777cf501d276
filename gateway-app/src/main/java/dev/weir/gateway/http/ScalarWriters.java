package dev.weir.gateway.http;

import java.util.Arrays;
import java.util.Base64;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.ValueVector;
import tools.jackson.core.JsonGenerator;

/** Writers of values that have no parts. */
final class ScalarWriters {

    /** The largest integer that every JSON reader holds exactly: 2^53 - 1. */
    private static final long MAX_SAFE_INTEGER = (1L << 53) - 1;

    private ScalarWriters() {}

    /** Reads an integer of any width. */
    interface LongAt {
        long at(int row);
    }

    /** Reads a floating point number. */
    interface DoubleAt {
        double at(int row);
    }

    /** Writes a value as ASCII text. */
    interface TextAt {
        void write(AsciiText text, int row);
    }

    /** Finds the bytes of a value. */
    interface BytesAt {
        /** Copies the bytes into {@code into}. */
        void read(Bytes into, int row);
    }

    /** A reusable copy of one value's bytes. */
    static final class Bytes {
        private byte[] bytes = new byte[256];
        private int length;

        void copy(ArrowBuf from, long offset, int size) {
            if (bytes.length < size) {
                bytes = new byte[Math.max(size, bytes.length * 2)];
            }
            from.getBytes(offset, bytes, 0, size);
            length = size;
        }

        void set(byte[] value) {
            bytes = value;
            length = value.length;
        }
    }

    private abstract static class Scalar extends ColumnWriter {
        private final ValueVector vector;

        Scalar(ValueVector vector) {
            this.vector = vector;
        }

        @Override
        boolean isNull(int row) {
            return vector.isNull(row);
        }
    }

    /** A column whose every value is null. */
    static ColumnWriter nulls() {
        return new ColumnWriter() {
            @Override
            boolean isNull(int row) {
                return true;
            }

            @Override
            void json(JsonGenerator json, int row) {
                json.writeNull();
            }

            @Override
            void csv(CsvOutput csv, int row) {}
        };
    }

    static ColumnWriter booleans(ValueVector vector, LongAt values) {
        return new Scalar(vector) {
            @Override
            void json(JsonGenerator json, int row) {
                json.writeBoolean(values.at(row) != 0);
            }

            @Override
            void csv(CsvOutput csv, int row) {
                csv.plain(values.at(row) != 0 ? "true" : "false");
            }
        };
    }

    /** Integers; in JSON a string beyond 2^53 - 1 in size. */
    static ColumnWriter integers(ValueVector vector, LongAt values) {
        AsciiText text = new AsciiText();
        return new Scalar(vector) {
            @Override
            void json(JsonGenerator json, int row) {
                long value = values.at(row);
                if (value >= -MAX_SAFE_INTEGER && value <= MAX_SAFE_INTEGER) {
                    json.writeNumber(value);
                } else {
                    json.writeString(Long.toString(value));
                }
            }

            @Override
            void csv(CsvOutput csv, int row) {
                text.clear().put(values.at(row));
                csv.plain(text.bytes(), text.length());
            }
        };
    }

    /** Unsigned 64-bit integers. */
    static ColumnWriter unsignedLongs(ValueVector vector, LongAt values) {
        return new Scalar(vector) {
            @Override
            void json(JsonGenerator json, int row) {
                long value = values.at(row);
                if (value >= 0 && value <= MAX_SAFE_INTEGER) {
                    json.writeNumber(value);
                } else {
                    json.writeString(Long.toUnsignedString(value));
                }
            }

            @Override
            void csv(CsvOutput csv, int row) {
                csv.plain(Long.toUnsignedString(values.at(row)));
            }
        };
    }

    /** Floating point numbers; in JSON NaN and the infinities are strings. */
    static ColumnWriter doubles(ValueVector vector, boolean single, DoubleAt values) {
        return new Scalar(vector) {
            @Override
            void json(JsonGenerator json, int row) {
                double value = values.at(row);
                if (Double.isNaN(value) || Double.isInfinite(value)) {
                    json.writeString(Double.toString(value));
                } else if (single) {
                    // As a float: 0.1f is 0.1, not 0.10000000149011612.
                    json.writeNumber((float) value);
                } else {
                    json.writeNumber(value);
                }
            }

            @Override
            void csv(CsvOutput csv, int row) {
                double value = values.at(row);
                csv.plain(single ? Float.toString((float) value) : Double.toString(value));
            }
        };
    }

    /** Values with an ASCII text that needs no escape and no CSV quotes. */
    static ColumnWriter texts(ValueVector vector, TextAt values) {
        AsciiText text = new AsciiText();
        return new Scalar(vector) {
            @Override
            void json(JsonGenerator json, int row) {
                values.write(text.clear(), row);
                json.writeRawUTF8String(text.bytes(), 0, text.length());
            }

            @Override
            void csv(CsvOutput csv, int row) {
                values.write(text.clear(), row);
                csv.plain(text.bytes(), text.length());
            }
        };
    }

    static ColumnWriter strings(ValueVector vector, BytesAt values) {
        Bytes bytes = new Bytes();
        return new Scalar(vector) {
            @Override
            void json(JsonGenerator json, int row) {
                values.read(bytes, row);
                json.writeUTF8String(bytes.bytes, 0, bytes.length);
            }

            @Override
            void csv(CsvOutput csv, int row) {
                values.read(bytes, row);
                csv.text(bytes.bytes, bytes.length);
            }
        };
    }

    /** Binary values, as base64 with padding. */
    static ColumnWriter binaries(ValueVector vector, BytesAt values) {
        Bytes bytes = new Bytes();
        return new Scalar(vector) {
            @Override
            void json(JsonGenerator json, int row) {
                values.read(bytes, row);
                json.writeBinary(bytes.bytes, 0, bytes.length);
            }

            @Override
            void csv(CsvOutput csv, int row) {
                values.read(bytes, row);
                byte[] exact = Arrays.copyOf(bytes.bytes, bytes.length);
                byte[] encoded = Base64.getEncoder().encode(exact);
                csv.text(encoded, encoded.length);
            }
        };
    }
}
