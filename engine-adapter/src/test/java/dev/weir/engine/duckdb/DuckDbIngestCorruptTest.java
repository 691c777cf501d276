package dev.weir.engine.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineIngest;
import dev.weir.engine.IngestMode;
import dev.weir.engine.IngestSchema;
import dev.weir.engine.IngestTarget;
import dev.weir.engine.QueryContext;
import dev.weir.engine.Rows;
import dev.weir.engine.SessionSettings;
import dev.weir.engine.StreamFeed;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.ipc.ReadChannel;
import org.apache.arrow.vector.ipc.message.MessageMetadataResult;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Damaged uploads end with an answer, never with the process, and what gets in can be read. */
class DuckDbIngestCorruptTest extends DuckDbTestBase {

    private static final int ROUNDS = Integer.getInteger("weir.fuzz.rounds", 1_500);

    private static final String SOURCE = """
            select i::tinyint as ti, i::bigint as bi, i::double as d, (i % 2 = 0) as b,
              case when i % 7 <> 0 then 'text of row ' || i end as s, 'é' || i as u, ('b' || i)::blob as bl,
              (i / 4)::decimal(9, 2) as d9, i::decimal(38, 3) as d38, date '2020-01-01' + i::int as da,
              time '10:00:00' as t, timestamp '2020-01-01 00:00:00' as ts, interval (i) days as iv,
              case when i % 3 <> 0 then 'x' else 'y' end::enum('x', 'y', 'z') as e,
              range(i % 5) as l, [[i], [], null] as ll, [i, i + 1]::bigint[2] as a,
              {'x': i, 'y': 'v' || i} as st, map {i: 'm' || i} as m, null as n,
              union_value(num := i) as un, 'LINESTRING (1 2, 3 4, 5 6)'::geometry as g
            from range(100) r(i)
            """;

    /** One message of a stream. */
    private record Piece(byte[] metadata, byte[] body) {}

    private Schema schema;
    private final List<Piece> pieces = new ArrayList<>();

    @BeforeAll
    void source() throws IOException {
        byte[] stream = StreamFeed.streamOf(engine, SOURCE, 50);
        ReadChannel in = new ReadChannel(Channels.newChannel(new ByteArrayInputStream(stream)));
        MessageMetadataResult message;
        while ((message = MessageSerializer.readMessage(in)) != null) {
            byte[] metadata = new byte[message.getMessageBuffer().remaining()];
            message.getMessageBuffer().slice().get(metadata);
            byte[] body = new byte[(int) message.getMessageBodyLength()];
            in.readFully(ByteBuffer.wrap(body));
            if (schema == null) {
                schema = IngestSchema.read(ByteBuffer.wrap(metadata));
            } else {
                pieces.add(new Piece(metadata, body));
            }
        }
    }

    private void load(List<Piece> damaged) {
        StreamFeed feed = new StreamFeed();
        for (Piece piece : damaged) {
            ArrowBuf body = feed.allocator().buffer(piece.body().length);
            body.writeBytes(piece.body());
            feed.put(0, ByteBuffer.wrap(piece.metadata()), body.slice(0, piece.body().length));
        }
        EngineCall<ArrowResult> call = engine.ingest(
                new EngineIngest(
                        "ingest",
                        IngestTarget.of("t"),
                        IngestMode.REPLACE,
                        schema,
                        Access.WRITE,
                        SessionSettings.NONE,
                        QueryContext.NONE),
                feed);
        try (feed) {
            Rows.drain(Rows.await(call.result()));
        } finally {
            Rows.await(call.stopped());
        }
    }

    @Test
    void theWholeStreamIsTaken() {
        load(pieces);
        assertThat(run(Access.READ, "select count(*) from t")).containsExactly(List.of(100L));
    }

    @Test
    void damagedStreamsAreRefusedOrHarmless() {
        long seed = Long.getLong("weir.seed", ThreadLocalRandom.current().nextLong());
        Random random = new Random(seed);
        int taken = 0;
        for (int round = 0; round < ROUNDS; round++) {
            List<Piece> damaged = damage(random);
            try {
                load(damaged);
                taken++;
                // Whatever got in is what its type says: printing all of it walks through all of it.
                run(Access.READ, "select sum(length(t::varchar)), max(length(upper(s))), max(u[1:3]) from t");
            } catch (EngineException e) {
                if (e.failure() == EngineFailure.LOST || e.failure() == EngineFailure.INTERNAL) {
                    fail("seed " + seed + ", round " + round, e);
                }
            } catch (RuntimeException | AssertionError e) {
                fail("seed " + seed + ", round " + round, e);
            }
        }
        assertThat(taken).as("seed %d", seed).isLessThan(ROUNDS);
        load(pieces);
    }

    private List<Piece> damage(Random random) {
        List<Piece> damaged = new ArrayList<>(pieces);
        int at = random.nextInt(damaged.size());
        byte[] metadata = damaged.get(at).metadata().clone();
        byte[] body = damaged.get(at).body().clone();
        switch (random.nextInt(6)) {
            case 0 -> body = java.util.Arrays.copyOf(body, random.nextInt(body.length));
            case 1 -> damaged.remove(at);
            case 2, 3 -> change(random, metadata);
            default -> change(random, body);
        }
        if (damaged.size() == pieces.size()) {
            damaged.set(at, new Piece(metadata, body));
        }
        return damaged;
    }

    private static void change(Random random, byte[] bytes) {
        for (int i = random.nextInt(4); i >= 0; i--) {
            int at = random.nextInt(bytes.length);
            bytes[at] = switch (random.nextInt(4)) {
                case 0 -> (byte) (bytes[at] ^ 1 << random.nextInt(8));
                case 1 -> (byte) 0xFF;
                case 2 -> 0x7F;
                default -> (byte) random.nextInt();
            };
        }
    }
}
