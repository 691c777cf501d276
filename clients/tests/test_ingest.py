"""Bulk ingest with the clients that people use: ADBC, pandas and polars through it, and an Arrow stream over HTTP."""

import datetime
import decimal
import io
import threading

import adbc_driver_manager
import pyarrow as pa
import pytest

TABLE = pa.table(
    {
        "i": pa.array([1, 2, None], pa.int64()),
        "s": pa.array(["a", None, "täble 表"], pa.string()),
        "d": pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("-99.99")], pa.decimal128(10, 2)),
        "t": pa.array([datetime.datetime(2026, 1, 31, 12, tzinfo=datetime.timezone.utc), None, None],
                      pa.timestamp("us", "UTC")),
        "l": pa.array([[1, 2], [], None], pa.list_(pa.int32())),
        "st": pa.array([{"x": 1, "y": "z"}, None, {"x": None, "y": None}],
                       pa.struct([("x", pa.int32()), ("y", pa.string())])),
        "e": pa.array(["u", "v", "u"]).dictionary_encode(),
        "v": pa.array(["short", "longer than twelve bytes", None], pa.string_view()),
    }
)


@pytest.fixture
def connection(gateway):
    with gateway.adbc() as connection:
        with connection.cursor() as cursor:
            cursor.execute("drop table if exists ingested")
        yield connection
        with connection.cursor() as cursor:
            cursor.execute("drop table if exists ingested")


def rows(connection, sql="select * from ingested"):
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetch_arrow_table().to_pylist()


def ingest(connection, data, mode, **options):
    with connection.cursor() as cursor:
        return cursor.adbc_ingest("ingested", data, mode=mode, **options)


def test_ingest_every_mode(connection):
    one = pa.table({"i": [1]})
    with pytest.raises(adbc_driver_manager.Error):
        ingest(connection, one, "append")
    assert ingest(connection, one, "create") == 1
    with pytest.raises(adbc_driver_manager.Error):
        ingest(connection, one, "create")
    assert ingest(connection, one, "append") == 1
    assert ingest(connection, one, "create_append") == 1
    assert len(rows(connection)) == 3
    assert ingest(connection, one, "replace") == 1
    assert rows(connection) == [{"i": 1}]


def test_ingest_keeps_every_cell(connection):
    assert ingest(connection, TABLE, "create") == 3
    assert rows(connection) == TABLE.to_pylist()


def test_ingest_many_rows_of_a_reader(connection):
    schema = pa.schema([("i", pa.int64()), ("s", pa.string())])

    def batches():
        for start in range(0, 1_000_000, 50_000):
            numbers = range(start, start + 50_000)
            yield pa.record_batch([pa.array(numbers), pa.array([f"row {n}" for n in numbers])], schema=schema)

    reader = pa.RecordBatchReader.from_batches(schema, batches())
    assert ingest(connection, reader, "create") == 1_000_000
    assert rows(connection, "select count(*) as n, count(distinct i) as d, max(s) as m from ingested") == [
        {"n": 1_000_000, "d": 1_000_000, "m": "row 999999"}
    ]


def test_ingest_names_what_is_wrong(connection):
    ingest(connection, pa.table({"i": [1]}), "create")
    with pytest.raises(adbc_driver_manager.Error, match="unheard"):
        ingest(connection, pa.table({"unheard": [1]}), "append")
    with pytest.raises(adbc_driver_manager.Error, match="22P02|convert"):
        ingest(connection, pa.table({"i": ["no number"]}), "append")
    assert rows(connection) == [{"i": 1}]


def test_ingest_into_a_temporary_table(gateway, connection):
    assert ingest(connection, pa.table({"i": [1, 2]}), "create", temporary=True) == 2
    assert rows(connection) == [{"i": 1}, {"i": 2}]
    with gateway.adbc() as other, pytest.raises(adbc_driver_manager.Error):
        rows(other)
    with connection.cursor() as cursor:
        cursor.execute("drop table temp.ingested")


def test_ingest_in_a_transaction(gateway, connection):
    with gateway.adbc(autocommit=False) as own:
        ingest(own, pa.table({"i": [1, 2]}), "create")
        assert len(rows(own)) == 2
        own.rollback()
        ingest(own, pa.table({"i": [3]}), "create")
        own.commit()
    assert rows(connection) == [{"i": 3}]


def test_ingest_a_schema(connection):
    ingest(connection, pa.table({"i": [1]}), "create", db_schema_name="main")
    assert rows(connection, "select * from main.ingested") == [{"i": 1}]
    with pytest.raises(adbc_driver_manager.Error):
        ingest(connection, pa.table({"i": [1]}), "append", db_schema_name="nowhere")


def test_ingest_pandas(connection):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"i": [1, 2], "s": ["a", None]})
    assert frame.to_sql("ingested", connection, index=False, if_exists="replace") in (2, None)
    assert rows(connection) == [{"i": 1, "s": "a"}, {"i": 2, "s": None}]


def test_ingest_pandas_every_mode(connection):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({
        "i": [1, 2], "f": [0.5, None], "t": pandas.to_datetime(["2024-02-29 12:34:56.789", None]), "b": [True, False]})
    frame.to_sql("ingested", connection, index=False)
    with pytest.raises(ValueError):
        frame.to_sql("ingested", connection, index=False, if_exists="fail")
    frame.to_sql("ingested", connection, index=False, if_exists="append")
    assert len(rows(connection)) == 4
    frame.to_sql("ingested", connection, index=False, if_exists="replace")
    assert len(rows(connection)) == 2
    back = pandas.read_sql("select * from ingested order by i", connection)
    assert back["t"].iloc[0] == frame["t"].iloc[0]
    assert back["f"].isna().tolist() == [False, True]


def test_ingest_polars(connection):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"i": [1, 2], "s": ["a", "longer than twelve bytes"], "c": ["x", "y"]})
    frame = frame.with_columns(polars.col("c").cast(polars.Categorical))
    frame.write_database("ingested", connection, if_table_exists="replace", engine="adbc")
    assert rows(connection) == [
        {"i": 1, "s": "a", "c": "x"},
        {"i": 2, "s": "longer than twelve bytes", "c": "y"},
    ]


def test_ingest_polars_every_mode(connection):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"i": [1, 2], "l": [[1], [2, 3]]})
    frame.write_database("ingested", connection, engine="adbc")
    with pytest.raises(adbc_driver_manager.Error):
        frame.write_database("ingested", connection, if_table_exists="fail", engine="adbc")
    assert frame.write_database("ingested", connection, if_table_exists="append", engine="adbc") in (2, -1)
    back = polars.read_database("select * from ingested order by i", connection)
    assert back["l"].to_list() == [[1], [1], [2, 3], [2, 3]]


def test_ingest_a_client_that_fails_leaves_nothing(connection):
    schema = pa.schema([("i", pa.int64())])

    def batches():
        for _ in range(10):
            yield pa.record_batch([pa.array(range(50_000))], schema=schema)
        raise ValueError("the source broke")

    with pytest.raises(Exception):
        ingest(connection, pa.RecordBatchReader.from_batches(schema, batches()), "create")
    with pytest.raises(adbc_driver_manager.Error):
        rows(connection)


def test_ingest_in_parts(gateway, connection):
    counts = {}

    def send(part):
        headers = {"id": "python-1", "parts": "3", "part": str(part)}
        with gateway.adbc() as own, own.cursor() as cursor:
            cursor.adbc_statement.set_options(
                **{f"adbc.flight.sql.rpc.call_header.weir-ingest-{name}": value for name, value in headers.items()})
            counts[part] = cursor.adbc_ingest("ingested", pa.table({"p": [part] * (part + 1)}), mode="create")

    threads = [threading.Thread(target=send, args=(part,)) for part in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert counts == {0: 1, 1: 2, 2: 3}
    assert len(rows(connection)) == 6


def post(gateway, table, more="", **options):
    body = io.BytesIO()
    with pa.ipc.new_stream(body, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table)
    with gateway.http() as client:
        answer = client.post(
            f"/v1/tables/ingested/rows?mode=create{more}",
            content=body.getvalue(),
            headers={"Content-Type": "application/vnd.apache.arrow.stream"},
        )
    answer.raise_for_status()
    return answer.json()["rows"]


@pytest.mark.parametrize("compression", [None, "zstd", "lz4"])
def test_ingest_over_http(gateway, connection, compression):
    assert post(gateway, TABLE, compression=compression) == 3
    assert rows(connection) == TABLE.to_pylist()
