package dev.weir.engine.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.CodedOutputStream;
import io.grpc.Detachable;
import io.grpc.Drainable;
import io.grpc.StatusRuntimeException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.junit.jupiter.api.Test;

/** Messages on the wire. */
class FrameMarshallerTest {

    private final FrameMarshaller marshaller = new FrameMarshaller();

    private static byte[] bytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /** A stream as a transport gives it: in pieces of any size, and detachable. */
    private static final class Pieces extends InputStream implements Detachable {

        private final Random random;
        private InputStream in;
        boolean closed;

        Pieces(byte[] bytes, Random random) {
            this(new ByteArrayInputStream(bytes), random);
        }

        private Pieces(InputStream in, Random random) {
            this.in = in;
            this.random = random;
        }

        @Override
        public int read() throws IOException {
            return in.read();
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            return in.read(target, offset, length == 0 ? 0 : 1 + random.nextInt(length));
        }

        @Override
        public int available() throws IOException {
            return in.available();
        }

        @Override
        public InputStream detach() {
            Pieces detached = new Pieces(in, random);
            in = InputStream.nullInputStream();
            return detached;
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private byte[] write(Frame frame, boolean drain) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (InputStream in = marshaller.stream(frame)) {
            int length = in.available();
            if (drain) {
                assertThat(((Drainable) in).drainTo(out)).isEqualTo(length);
            } else {
                in.transferTo(out);
            }
            assertThat(out.size()).isEqualTo(length);
            assertThat(in.available()).isZero();
        }
        return out.toByteArray();
    }

    @Test
    void framesComeOutAsTheyWentIn() throws IOException {
        Random random = new Random(7);
        for (int i = 0; i < 500; i++) {
            byte[] command = random.nextBoolean() ? bytes(random, random.nextInt(300)) : null;
            byte[] header = random.nextBoolean() ? bytes(random, random.nextInt(300)) : null;
            byte[] control = random.nextBoolean() ? bytes(random, random.nextInt(300)) : null;
            byte[] body = bytes(random, random.nextInt(5) * random.nextInt(50_000));
            Frame sent = new Frame(command, header, control, body.length, new ByteArrayInputStream(body));
            Frame read = marshaller.parse(new Pieces(write(sent, random.nextBoolean()), random));
            assertThat(read.command()).isEqualTo(command);
            assertThat(read.header()).isEqualTo(header);
            assertThat(read.control()).isEqualTo(control);
            assertThat(read.bodyLength()).isEqualTo(body.length);
            assertThat(read.takeBody().readAllBytes()).isEqualTo(body);
        }
    }

    @Test
    void unknownFieldsAreSkipped() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        out.writeUInt64(7, -1);
        out.writeFixed64(8, 5);
        out.writeByteArray(3, new byte[] {1, 2});
        out.writeFixed32(9, 5);
        out.writeByteArray(1000, new byte[] {3, 4, 5});
        out.writeByteArray(2000, new byte[300]);
        out.writeByteArray(2, new byte[] {6});
        out.flush();
        Frame frame = marshaller.parse(new Pieces(bytes.toByteArray(), new Random(1)));
        assertThat(frame.control()).containsExactly(1, 2);
        assertThat(frame.header()).containsExactly(6);
        assertThat(frame.takeBody().readAllBytes()).containsExactly(3, 4, 5);
    }

    @Test
    void theBodyStaysWhereItIs() throws IOException {
        byte[] written = write(new Frame(null, null, null, 3, new ByteArrayInputStream(new byte[3])), true);
        Frame frame = marshaller.parse(new Pieces(written, new Random(1)));
        assertThat(frame.takeBody()).isInstanceOf(Pieces.class);
    }

    @Test
    void closingAFrameClosesItsBodyUnlessItWasTaken() throws IOException {
        byte[] written = write(new Frame(null, null, null, 3, new ByteArrayInputStream(new byte[3])), true);
        Frame taken = marshaller.parse(new Pieces(written, new Random(1)));
        Pieces body = (Pieces) taken.takeBody();
        taken.close();
        assertThat(body.closed).isFalse();
        byte[] whole = written.clone();
        Pieces[] detached = new Pieces[1];
        Frame left = marshaller.parse(new Detaching(whole, detached));
        left.close();
        assertThat(detached[0].closed).isTrue();
    }

    /** Remembers what was detached. */
    private static final class Detaching extends ByteArrayInputStream implements Detachable {

        private final Pieces[] detached;

        Detaching(byte[] bytes, Pieces[] detached) {
            super(bytes);
            this.detached = detached;
        }

        @Override
        public InputStream detach() {
            detached[0] = new Pieces(readAllBytes(), new Random(1));
            return detached[0];
        }
    }

    @Test
    void brokenMessagesAreRefused() throws IOException {
        byte[] good = write(
                new Frame(new byte[50], new byte[50], new byte[50], 500, new ByteArrayInputStream(new byte[500])),
                true);
        for (int length = 1; length < good.length; length++) {
            byte[] cut = Arrays.copyOf(good, length);
            try {
                marshaller.parse(new Pieces(cut, new Random(length))).close();
            } catch (StatusRuntimeException e) {
                assertThat(e.getStatus().getDescription()).isEqualTo("Malformed message");
            }
        }
        assertThatThrownBy(() -> marshaller.parse(new Pieces(new byte[] {11}, new Random(1))))
                .isInstanceOf(StatusRuntimeException.class);
    }

    @Test
    void anArrowBodyIsItsBuffersPadded() throws IOException {
        try (BufferAllocator allocator = new RootAllocator()) {
            ArrowBuf one = allocator.buffer(16);
            ArrowBuf two = allocator.buffer(100_001);
            one.setBytes(0, new byte[] {1, 2, 3});
            one.writerIndex(3);
            for (int i = 0; i < 100_001; i++) {
                two.setByte(i, i);
            }
            two.writerIndex(100_001);
            ArrowRecordBatch batch = new ArrowRecordBatch(1, List.of(new ArrowFieldNode(1, 0)), List.of(one, two));
            one.close();
            two.close();
            try (batch) {
                assertThat(ArrowBody.length(batch)).isEqualTo(8 + 100_008);
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                new ArrowBody(batch).drainTo(out);
                byte[] drained = out.toByteArray();
                assertThat(drained).hasSize(8 + 100_008).startsWith(1, 2, 3, 0, 0, 0, 0, 0, 0, 1, 2);
                assertThat(drained[8 + 100_000]).isEqualTo((byte) 100_000);
                assertThat(new ArrowBody(batch).readAllBytes()).isEqualTo(drained);
            }
        }
    }
}
