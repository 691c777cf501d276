package dev.weir.gateway.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.IngestMessage;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class UploadFeedTest {

    private static final int MEGABYTE = 1 << 20;

    private final BufferAllocator memory = new RootAllocator();
    private final AtomicLong now = new AtomicLong();
    private final AtomicInteger started = new AtomicInteger();
    private final AtomicInteger room = new AtomicInteger();
    private UploadFeed feed = feed(1);

    private UploadFeed feed(int parts) {
        UploadFeed made = new UploadFeed(memory, parts, now::get, started::incrementAndGet, (rows, bytes) -> {});
        for (int i = 0; i < parts; i++) {
            made.join(i);
            made.onRoom(i, room::incrementAndGet);
        }
        return made;
    }

    @AfterEach
    void nothingIsLeft() {
        feed.close();
        memory.close();
    }

    private void add(int part, int bytes) {
        ArrowBuf body = memory.buffer(bytes);
        feed.add(part, ByteBuffer.allocate(0), body.slice(0, bytes));
    }

    private boolean take() throws InterruptedException {
        try (IngestMessage message = feed.poll(0)) {
            return message != null;
        }
    }

    @Test
    void thereIsNoRoomBeforeTheEngineReads() throws Exception {
        assertThat(feed.hasRoom(0)).isFalse();
        assertThat(take()).isFalse();
        assertThat(started).hasValue(1);
        assertThat(room).hasValue(1);
        assertThat(feed.hasRoom(0)).isTrue();
    }

    @Test
    void aFullWindowOpensWhenTheEngineTakes() throws Exception {
        assertThat(take()).isFalse();
        add(0, 31 * MEGABYTE);
        assertThat(feed.hasRoom(0)).isTrue();
        add(0, MEGABYTE);
        assertThat(feed.hasRoom(0)).isFalse();
        assertThat(room).hasValue(0);
        assertThat(take()).isTrue();
        assertThat(room).hasValue(1);
        assertThat(feed.hasRoom(0)).isTrue();
    }

    @Test
    void itIsCompleteWhenEveryPartHasEndedAndAllIsTaken() throws Exception {
        feed = feed(2);
        add(0, 8);
        feed.end(0);
        assertThat(take()).isTrue();
        assertThat(feed.isComplete()).isFalse();
        add(1, 8);
        feed.end(1);
        assertThat(feed.isComplete()).isFalse();
        assertThat(take()).isTrue();
        assertThat(feed.isComplete()).isTrue();
        assertThat(take()).isFalse();
    }

    @Test
    void aPartCanBeTakenOnce() {
        assertThat(feed.join(0)).isFalse();
    }

    @Test
    void theLongestSilenceIsThatOfAPartThatTheEngineWaitsFor() throws Exception {
        feed = feed(2);
        assertThat(take()).isFalse();
        now.set(100);
        add(0, 8);
        now.set(150);
        assertThat(feed.idle(now.get())).isEqualTo(new UploadFeed.Idle(1, 150, true));
        feed.end(1);
        assertThat(feed.idle(now.get())).isEqualTo(new UploadFeed.Idle(0, 50, true));
        feed.end(0);
        assertThat(feed.idle(now.get())).isNull();
    }

    @Test
    void aClientThatWaitsForRoomIsNotSilent() throws Exception {
        assertThat(take()).isFalse();
        add(0, 33 * MEGABYTE);
        assertThat(feed.hasRoom(0)).isFalse();
        now.set(1_000);
        assertThat(feed.idle(now.get())).isNull();
        assertThat(take()).isTrue();
        now.set(1_500);
        assertThat(feed.idle(now.get())).isEqualTo(new UploadFeed.Idle(0, 500, true));
    }

    @Test
    void aFailureIsWhatTheEngineReadsNext() {
        add(0, 8);
        feed.fail(new EngineException(EngineFailure.CANCELLED, "gone"));
        assertThat(feed.isComplete()).isFalse();
        assertThatThrownBy(this::take).isInstanceOf(EngineException.class).hasMessage("gone");
    }

    @Test
    void whatComesAfterItsEndIsGivenBack() {
        add(0, 8);
        feed.close();
        assertThat(memory.getAllocatedMemory()).isZero();
        add(0, 8);
        assertThat(memory.getAllocatedMemory()).isZero();
        assertThat(feed.hasRoom(0)).isTrue();
    }
}
