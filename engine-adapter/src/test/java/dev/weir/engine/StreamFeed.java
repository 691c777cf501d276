package dev.weir.engine;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.ipc.ReadChannel;
import org.apache.arrow.vector.ipc.message.MessageMetadataResult;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/** An upload in tests: the messages of an Arrow stream, all there from the start, or until it is told that it ends. */
public final class StreamFeed implements IngestFeed, AutoCloseable {

    private final BufferAllocator memory = new RootAllocator();
    private final Deque<IngestMessage> messages = new ArrayDeque<>();
    private final AtomicLong rows = new AtomicLong();
    private @Nullable Schema schema;
    private boolean open;
    private @Nullable EngineException failure;
    private int taken;
    private long pausedUntil = System.nanoTime();
    private Runnable onTake = () -> {};

    /** A feed of one stream. */
    public static StreamFeed of(byte[] stream) {
        return new StreamFeed().add(0, stream);
    }

    /** Adds the messages of a stream as a part. */
    public StreamFeed add(int part, byte[] stream) {
        ReadChannel in = new ReadChannel(Channels.newChannel(new ByteArrayInputStream(stream)));
        try {
            MessageMetadataResult message;
            while ((message = MessageSerializer.readMessage(in)) != null) {
                ByteBuffer metadata = message.getMessageBuffer().slice();
                if (message.getMessage().headerType() == org.apache.arrow.flatbuf.MessageHeader.Schema) {
                    schema = IngestSchema.read(metadata);
                    continue;
                }
                long length = message.getMessageBodyLength();
                put(part, metadata, MessageSerializer.readMessageBody(in, length, memory));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    /** Adds one message. */
    public synchronized void put(int part, ByteBuffer metadata, ArrowBuf body) {
        messages.add(new IngestMessage(part, metadata, body));
        notifyAll();
    }

    /** More will come. */
    public StreamFeed keepOpen() {
        open = true;
        return this;
    }

    /** Nothing more comes. */
    public synchronized void end() {
        open = false;
        notifyAll();
    }

    /** The client has gone. */
    public synchronized void fail(EngineException why) {
        failure = why;
        notifyAll();
    }

    /** Runs before each message is taken. */
    public StreamFeed onTake(Runnable action) {
        onTake = action;
        return this;
    }

    /** Lets nothing out for so long. */
    public synchronized void pause(long millis) {
        pausedUntil = System.nanoTime() + java.util.concurrent.TimeUnit.MILLISECONDS.toNanos(millis);
    }

    /** How many messages the engine took. */
    public synchronized int taken() {
        return taken;
    }

    /** Rows that the engine said it read. */
    public long rows() {
        return rows.get();
    }

    public Schema schema() {
        return schema;
    }

    /** Bytes that were not given back. */
    public long bytes() {
        return memory.getAllocatedMemory();
    }

    @Override
    public BufferAllocator allocator() {
        return memory;
    }

    @Override
    public @Nullable IngestMessage poll(long millis) throws InterruptedException {
        synchronized (this) {
            if (messages.isEmpty() && open && failure == null) {
                wait(millis);
            }
            if (failure != null) {
                throw failure;
            }
            if (messages.isEmpty()) {
                return null;
            }
            if (pausedUntil - System.nanoTime() > 0) {
                wait(millis);
                return null;
            }
            taken++;
        }
        onTake.run();
        synchronized (this) {
            return messages.poll();
        }
    }

    @Override
    public synchronized boolean isComplete() {
        return failure == null && !open && messages.isEmpty();
    }

    @Override
    public void read(int part, long count) {
        rows.addAndGet(count);
    }

    /** Gives back what was not read, and checks that nothing else is left. */
    @Override
    public synchronized void close() {
        messages.forEach(IngestMessage::close);
        messages.clear();
        memory.close();
    }

    /** The rows of a read as an Arrow stream, as a client would send them. */
    public static byte[] streamOf(QueryEngine engine, String sql, int batchRows) {
        EngineQuery query =
                new EngineQuery("source", sql, Access.READ, SessionSettings.NONE, java.util.List.of(), batchRows);
        try (ArrowResult result = Rows.await(engine.execute(query).result())) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DictionaryProvider dictionaries = result.dictionaries();
            ArrowStreamWriter writer = null;
            while (Rows.await(result.next())) {
                if (writer == null) {
                    writer = new ArrowStreamWriter(result.root(), dictionaries, bytes);
                    writer.start();
                }
                writer.writeBatch();
            }
            if (writer == null) {
                writer = new ArrowStreamWriter(result.root(), dictionaries, bytes);
                writer.start();
            }
            writer.end();
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A root as an Arrow stream of one batch. */
    public static byte[] streamOf(VectorSchemaRoot root, DictionaryProvider dictionaries) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ArrowStreamWriter writer = new ArrowStreamWriter(root, dictionaries, bytes)) {
            writer.start();
            writer.writeBatch();
            writer.end();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }
}
