package dev.weir.engine.duckdb;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.duckdb.DuckDBConnection;

/**
 * Raises DuckDB's interrupt flag of a connection.
 *
 * <p>The driver's own {@code Statement.cancel()} works inside execute only: it does nothing during an Arrow fetch, and
 * during prepare it waits for the lock that prepare holds. The native function behind it just sets an atomic flag, so it
 * is called directly; the caller sees to it that the connection is not being closed.
 */
final class NativeInterrupt {

    private static final VarHandle REFERENCE;
    private static final MethodHandle INTERRUPT;

    static {
        try {
            MethodHandles.Lookup connection =
                    MethodHandles.privateLookupIn(DuckDBConnection.class, MethodHandles.lookup());
            REFERENCE = connection.findVarHandle(DuckDBConnection.class, "connRef", ByteBuffer.class);
            Class<?> natives = Class.forName("org.duckdb.DuckDBNative", true, DuckDBConnection.class.getClassLoader());
            INTERRUPT = MethodHandles.privateLookupIn(natives, MethodHandles.lookup())
                    .findStatic(natives, "duckdb_jdbc_interrupt", MethodType.methodType(void.class, ByteBuffer.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private NativeInterrupt() {}

    /** Interrupts what runs on the connection, if anything does; never blocks. */
    static void interrupt(DuckDBConnection connection) {
        ByteBuffer reference = (ByteBuffer) REFERENCE.getVolatile(connection);
        if (reference == null) {
            return;
        }
        try {
            INTERRUPT.invokeExact(reference);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("Cannot interrupt DuckDB", e);
        }
    }
}
