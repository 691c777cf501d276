package dev.weir.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What bulk ingest must do in every engine that takes it. */
public abstract class EngineIngestContract extends EngineIngestSupport {

    private static final String TABLE = "t";

    @AfterEach
    void dropTable() {
        run(Access.ADMIN, "drop table if exists t");
    }

    private static EngineIngest ingest(StreamFeed feed, IngestMode mode, IngestTarget target, Access access) {
        return new EngineIngest("ingest", target, mode, feed.schema(), access, SessionSettings.NONE, QueryContext.NONE);
    }

    private long load(StreamFeed feed, IngestMode mode) {
        return load(feed, mode, IngestTarget.of(TABLE));
    }

    private long load(StreamFeed feed, IngestMode mode, IngestTarget target) {
        EngineCall<ArrowResult> call = engine.ingest(ingest(feed, mode, target, Access.WRITE), feed);
        try (feed) {
            ArrowResult result = Rows.await(call.result());
            long rows = result.updateCount().orElse(-1);
            assertThat(Rows.drain(result)).isEmpty();
            assertThat(feed.rows()).isEqualTo(rows);
            return rows;
        } catch (EngineException e) {
            Rows.await(call.stopped());
            throw e;
        }
    }

    private EngineException refused(StreamFeed feed, IngestMode mode) {
        return refused(feed, mode, IngestTarget.of(TABLE));
    }

    private EngineException refused(StreamFeed feed, IngestMode mode, IngestTarget target) {
        EngineException failure = catchThrowableOfType(EngineException.class, () -> load(feed, mode, target));
        assertThat(failure).isNotNull();
        assertThat(failure.getMessage()).doesNotContain("\tat ", "java.", "dev.weir");
        return failure;
    }

    private long count() {
        return (Long) run(Access.READ, "select count(*) from t").get(0).get(0);
    }

    @Test
    void createMakesTheTable() {
        assertThat(load(rows("select i, i::varchar as s from range(5000) r(i)"), IngestMode.CREATE))
                .isEqualTo(5000);
        assertThat(run(Access.READ, "select count(*), sum(i)::bigint, min(s), max(s) from t"))
                .containsExactly(List.of(5000L, 12497500L, "0", "999"));
    }

    @Test
    void createFailsWhenThereIsATable() {
        run(Access.WRITE, "create table t as select 1 as i");
        EngineException failure = refused(rows("select 2 as i"), IngestMode.CREATE);
        assertThat(failure.failure()).isEqualTo(EngineFailure.BINDING);
        assertThat(failure.sqlState()).isEqualTo("42P07");
        assertThat(run(Access.READ, "from t")).containsExactly(List.of(1));
    }

    @Test
    void appendFailsWhenThereIsNone() {
        EngineException failure = refused(rows("select 2 as i"), IngestMode.APPEND);
        assertThat(failure.failure()).isEqualTo(EngineFailure.BINDING);
        assertThat(failure.sqlState()).isEqualTo("42P01");
    }

    @Test
    void appendGoesByNameAndLeavesDefaults() {
        run(Access.WRITE, "create table t (a int, b varchar default 'd', c bigint not null)");
        assertThat(load(rows("select 7::bigint as C, 1 as a"), IngestMode.APPEND))
                .isEqualTo(1);
        assertThat(run(Access.READ, "from t")).containsExactly(List.of(1, "d", 7L));
    }

    @Test
    void replaceDropsInTheSameTransaction() {
        run(Access.WRITE, "create table t as select 'old' as x");
        assertThat(load(rows("select 1 as i"), IngestMode.REPLACE)).isEqualTo(1);
        assertThat(run(Access.READ, "from t")).containsExactly(List.of(1));
        StreamFeed broken = rows("select 2 as i").keepOpen();
        broken.fail(new EngineException(EngineFailure.CANCELLED, "gone"));
        assertThat(refused(broken, IngestMode.REPLACE).failure()).isEqualTo(EngineFailure.CANCELLED);
        assertThat(run(Access.READ, "from t")).containsExactly(List.of(1));
    }

    @Test
    void createAppendDoesBoth() {
        assertThat(load(rows("select 1 as i"), IngestMode.CREATE_APPEND)).isEqualTo(1);
        assertThat(load(rows("select 2 as i"), IngestMode.CREATE_APPEND)).isEqualTo(1);
        assertThat(run(Access.READ, "from t order by all")).containsExactly(List.of(1), List.of(2));
    }

    @ParameterizedTest
    @EnumSource(
            value = IngestMode.class,
            names = {"CREATE", "REPLACE", "CREATE_APPEND"})
    void noRowsMakeAnEmptyTable(IngestMode mode) {
        assertThat(load(rows("select 1 as i, 'x' as s where false"), mode)).isZero();
        assertThat(run(Access.READ, "select column_name, column_type from (describe t)"))
                .containsExactly(List.of("i", "INTEGER"), List.of("s", "VARCHAR"));
    }

    @Test
    void aColumnThatTheTableLacksIsNamed() {
        run(Access.WRITE, "create table t (a int)");
        EngineException failure = refused(rows("select 1 as a, 2 as \"wrong \"\"one\""), IngestMode.APPEND);
        assertThat(failure.failure()).isEqualTo(EngineFailure.BINDING);
        assertThat(failure.sqlState()).isEqualTo("42703");
        assertThat(failure).hasMessageContaining("wrong");
        assertThat(count()).isZero();
    }

    @Test
    void aTypeThatCannotBeCastIsNamed() {
        run(Access.WRITE, "create table t (a int, m map(int, int))");
        EngineException failure =
                refused(rows("select 1 as a, 5::date as m".replace("5::date", "date '2020-01-01'")), IngestMode.APPEND);
        assertThat(failure)
                .hasMessageContaining("\"m\"")
                .hasMessageContaining("DATE")
                .hasMessageContaining("MAP");
        assertThat(failure.failure()).isEqualTo(EngineFailure.BINDING);
        assertThat(count()).isZero();
    }

    @Test
    void aValueThatCannotBeCastLeavesNothing() {
        run(Access.WRITE, "create table t (a int)");
        EngineException failure = refused(
                rows("select case when i = 4999 then 'x' else i::varchar end as a from range(5000) r(i)"),
                IngestMode.APPEND);
        assertThat(failure.failure()).isEqualTo(EngineFailure.EXECUTION);
        assertThat(count()).isZero();
    }

    @Test
    void aConstraintLeavesNothing() {
        run(Access.WRITE, "create table t (a int primary key)");
        EngineException failure = refused(rows("select (i % 2500)::int as a from range(5000) r(i)"), IngestMode.APPEND);
        assertThat(failure.failure()).isEqualTo(EngineFailure.EXECUTION);
        assertThat(failure.sqlState()).isEqualTo("23505");
        assertThat(count()).isZero();
    }

    @Test
    void readersMayNot() {
        try (StreamFeed feed = rows("select 1 as i")) {
            EngineCall<ArrowResult> call =
                    engine.ingest(ingest(feed, IngestMode.CREATE, IngestTarget.of(TABLE), Access.READ), feed);
            EngineException failure = catchThrowableOfType(EngineException.class, () -> Rows.await(call.result()));
            assertThat(failure.failure()).isEqualTo(EngineFailure.FORBIDDEN);
            Rows.await(call.stopped());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"",
                "a\"; drop table x; --",
                "täble 表 \uD83E\uDD86",
                "select",
                "a.b.c",
                "'",
                " ",
                "%",
                "\n\t",
            })
    void hostileNamesAreNames(String name) {
        IngestTarget target = IngestTarget.of(name);
        String column = name.strip().isEmpty() ? "c" : name;
        assertThat(load(rows("select 1 as " + quote(column)), IngestMode.CREATE, target))
                .isEqualTo(1);
        assertThat(load(rows("select 2 as " + quote(column)), IngestMode.APPEND, target))
                .isEqualTo(1);
        assertThat(run(Access.READ, "select count(*) from " + quote(name))).containsExactly(List.of(2L));
        run(Access.WRITE, "drop table " + quote(name));
    }

    @Test
    void longNamesAreNames() {
        String name = "n".repeat(10_000);
        assertThat(load(rows("select 1 as " + name), IngestMode.REPLACE, IngestTarget.of(name)))
                .isEqualTo(1);
        run(Access.WRITE, "drop table " + name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a\0b"})
    void namesThatCannotBeAreRefused(String name) {
        assertThat(refused(rows("select 1 as i"), IngestMode.CREATE, IngestTarget.of(name))
                        .failure())
                .isEqualTo(EngineFailure.INVALID_PARAMETER);
    }

    @Test
    void schemasAndCatalogsAreTaken() {
        run(Access.WRITE, "create schema s");
        IngestTarget target = new IngestTarget(null, "s", TABLE, false);
        assertThat(load(rows("select 1 as i"), IngestMode.CREATE, target)).isEqualTo(1);
        assertThat(run(Access.READ, "from s.t")).containsExactly(List.of(1));
        run(Access.WRITE, "drop schema s cascade");
        assertThat(refused(rows("select 1 as i"), IngestMode.CREATE, target).failure())
                .isEqualTo(EngineFailure.BINDING);
        assertThat(refused(rows("select 1 as i"), IngestMode.CREATE, new IngestTarget("no", null, TABLE, false))
                        .failure())
                .isEqualTo(EngineFailure.BINDING);
    }

    @Test
    void temporaryTablesNeedASession() {
        assertThat(refused(rows("select 1 as i"), IngestMode.CREATE, new IngestTarget(null, null, TABLE, true))
                        .failure())
                .isEqualTo(EngineFailure.UNSUPPORTED);
    }

    @Test
    void aViewIsNoTable() {
        run(Access.WRITE, "create view v as select 1 as i");
        for (IngestMode mode : IngestMode.values()) {
            assertThat(refused(rows("select 1 as i"), mode, IngestTarget.of("v"))
                            .failure())
                    .as("%s", mode)
                    .isEqualTo(EngineFailure.BINDING);
        }
        run(Access.WRITE, "drop view v");
    }

    @Test
    void aClientThatPausesGoesOn() {
        byte[] first = StreamFeed.streamOf(engine, "select i from range(3000) r(i)", 1000);
        StreamFeed feed = StreamFeed.of(first).keepOpen();
        EngineCall<ArrowResult> call =
                engine.ingest(ingest(feed, IngestMode.CREATE, IngestTarget.of(TABLE), Access.WRITE), feed);
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> feed.taken() == 3);
        // The statement that got these rows has ended by itself when another read gets through.
        feed.add(0, StreamFeed.streamOf(engine, "select i from range(3000, 5000) r(i)", 1000));
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> feed.taken() == 5);
        feed.end();
        ArrowResult result = Rows.await(call.result());
        assertThat(result.updateCount()).hasValue(5000);
        Rows.drain(result);
        feed.close();
        assertThat(run(Access.READ, "select count(*), sum(i)::bigint from t"))
                .containsExactly(List.of(5000L, 12497500L));
    }

    @Test
    void aCancelAtAnyPointLeavesNoRow() {
        long seed = Long.getLong("weir.seed", ThreadLocalRandom.current().nextLong());
        Random random = new Random(seed);
        byte[] stream = StreamFeed.streamOf(engine, "select i, repeat('x', 100) as s from range(100000) r(i)", 2000);
        run(Access.WRITE, "create table t (i bigint, s varchar)");
        for (int round = 0; round < 40; round++) {
            int at = random.nextInt(50);
            StreamFeed feed = StreamFeed.of(stream);
            if (random.nextBoolean()) {
                feed.keepOpen();
            }
            EngineCall<?>[] call = new EngineCall<?>[1];
            feed.onTake(() -> {
                if (feed.taken() > at) {
                    call[0].cancel();
                }
            });
            synchronized (feed) {
                call[0] = engine.ingest(ingest(feed, IngestMode.APPEND, IngestTarget.of(TABLE), Access.WRITE), feed);
            }
            EngineException failure = catchThrowableOfType(EngineException.class, () -> Rows.await(call[0].result()));
            assertThat(failure).as("seed %d, round %d", seed, round).isNotNull();
            assertThat(failure.failure()).isEqualTo(EngineFailure.CANCELLED);
            Rows.await(call[0].stopped());
            feed.close();
            assertThat(count()).as("seed %d, round %d", seed, round).isZero();
        }
    }

    @Test
    void severalPartsAreOne() {
        StreamFeed feed = new StreamFeed();
        for (int part = 0; part < 4; part++) {
            String labels = part % 2 == 0 ? "'x', 'y'" : "'y', 'z', 'x'";
            feed.add(
                    part,
                    StreamFeed.streamOf(engine, "select 'x'::enum(" + labels + ") as e from range(1500) r(i)", 1000));
        }
        assertThat(load(feed, IngestMode.CREATE)).isEqualTo(6000);
        assertThat(run(Access.READ, "select e::varchar, count(*) from t group by all"))
                .containsExactly(List.of("x", 6000L));
    }

    @Test
    void dictionariesLastThroughPauses() {
        String source = "select i, 'row ' || i as s, (i % 3)::varchar::enum('0', '1', '2') as e from range(20000) r(i)";
        for (int round = 0; round < 20; round++) {
            StreamFeed feed = StreamFeed.of(StreamFeed.streamOf(engine, source, 2000));
            int pauseAt = round % 12;
            feed.onTake(() -> {
                if (feed.taken() == pauseAt) {
                    feed.pause(120);
                }
            });
            assertThat(load(feed, IngestMode.REPLACE)).isEqualTo(20_000);
            assertThat(run(
                            Access.READ,
                            "select count(*), count(distinct i), count(t.e) from (" + source
                                    + ") q join t using (i, s) where t.e = q.e::varchar"))
                    .as("round %d", round)
                    .containsExactly(List.of(20_000L, 20_000L, 20_000L));
        }
    }

    @ParameterizedTest
    @EnumSource(IngestMode.class)
    void rowGroupsAreKept(IngestMode mode) {
        if (mode == IngestMode.APPEND) {
            run(Access.WRITE, "create table t (i bigint, s varchar)");
        }
        byte[] stream = StreamFeed.streamOf(engine, "select i, 'row ' || i as s from range(400000) r(i)", 50_000);
        assertThat(load(StreamFeed.of(stream), mode)).isEqualTo(400_000);
        assertThat(run(Access.READ, "select count(*), count(distinct i), max(s) from t"))
                .containsExactly(List.of(400_000L, 400_000L, "row 99999"));
    }
}
