"""Arrow results and uploads with compressed buffers, read and written by pyarrow and by ADBC."""

import base64
import io

import adbc_driver_manager
import pyarrow as pa
import pyarrow.flight
import pytest

from conftest import PASSWORD

ARROW = "application/vnd.apache.arrow.stream"
CODECS = ["zstd", "lz4"]

EVERYTHING = """
select i, case when i % 3 = 0 then null else 'text ' || i end as s, i::decimal(15, 2) / 7 as d,
       [i, null, i + 1] as l, {'x': i, 'y': case when i % 2 = 0 then 'even' end} as st,
       map {'key': i} as m, null as n, i % 2 = 0 as b, timestamp '2026-01-31 12:00:00' + to_seconds(i) as t,
       (case i % 3 when 0 then 'red' when 1 then 'green' end)::enum('red', 'green') as e
from range(50000) r(i)
"""
QUERIES = [EVERYTHING, "select * from lineitem limit 20000", "select 42 as n", "select * from nation where false"]


def table(body):
    with pa.ipc.open_stream(body) as reader:
        return reader.read_all()


def post(client, sql, codec=None, **headers):
    answer = client.post(
        "/v1/queries", content=sql, headers={"Accept": f"{ARROW};codecs={codec}" if codec else ARROW, **headers})
    answer.raise_for_status()
    return answer


@pytest.mark.parametrize("codec", CODECS)
def test_http(client, codec):
    for sql in QUERIES:
        plain = table(post(client, sql).content)
        answer = post(client, sql, codec, **{"Accept-Encoding": "gzip"})
        assert "Content-Encoding" not in answer.headers
        assert answer.headers["Content-Type"] == f"{ARROW}; codecs={codec}"
        assert table(answer.content).equals(plain)
    many = "select * from lineitem limit 20000"
    assert len(post(client, many, codec).content) < 0.8 * len(post(client, many, **{"Accept-Encoding": "identity"}).content)


@pytest.mark.parametrize("codec", CODECS)
def test_flight(gateway, codec):
    for sql in QUERIES:
        with gateway.adbc() as connection, connection.cursor() as cursor:
            cursor.execute(sql)
            plain = cursor.fetch_arrow_table()
        for partitions in ["1", "3"]:
            headers = {"weir-compression": codec, "weir-partitions": partitions, "weir-batch-numbers": "false"}
            options = {f"adbc.flight.sql.rpc.call_header.{name}": value for name, value in headers.items()}
            with gateway.adbc(**options) as connection, connection.cursor() as cursor:
                cursor.execute(sql)
                found = cursor.fetch_arrow_table()
            assert found.schema.equals(plain.schema)
            assert sorted(map(repr, found.to_pylist())) == sorted(map(repr, plain.to_pylist()))


def test_unknown_codec(gateway, client):
    answer = client.post("/v1/queries", content="select 1", headers={"Accept": f"{ARROW};codecs=brotli"})
    assert answer.status_code == 400 and "none, zstd or lz4" in answer.json()["detail"]
    # The driver's first call, that of its login, has the header already.
    with pytest.raises(adbc_driver_manager.Error, match="none, zstd or lz4"):
        with gateway.adbc(**{"adbc.flight.sql.rpc.call_header.weir-compression": "brotli"}):
            pass


@pytest.mark.parametrize("codec", CODECS)
def test_upload_of_large_buffers_over_http(gateway, client, codec):
    numbers = pa.table({"n": pa.array(range(400_000), pa.int64())})
    body = io.BytesIO()
    with pa.ipc.new_stream(body, numbers.schema, options=pa.ipc.IpcWriteOptions(compression=codec)) as writer:
        writer.write_table(numbers)
    answer = client.post(
        "/v1/tables/large_buffers/rows?mode=create", content=body.getvalue(), headers={"Content-Type": ARROW})
    answer.raise_for_status()
    with gateway.adbc() as connection, connection.cursor() as cursor:
        cursor.execute("select n from large_buffers order by n")
        assert cursor.fetch_arrow_table()["n"].to_pylist() == list(range(400_000))
        cursor.execute("drop table large_buffers")


def field(number, value):
    """One field of a protobuf message: bytes, or a small number."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    assert len(value) < 128
    return bytes([number << 3 | 2, len(value)]) + value


@pytest.mark.parametrize("codec", [None, "zstd", "lz4"])
def test_upload_over_flight(gateway, codec):
    rows = pa.table({
        "i": pa.array([*range(5000), None], pa.int64()),
        "s": pa.array(["text"] * 5000 + [None]),
        "l": pa.array([[1, None]] * 5000 + [[]], pa.list_(pa.int32())),
    })
    command = field(1, field(1, 1) + field(2, 3)) + field(2, b"compressed")
    packed = field(1, b"type.googleapis.com/arrow.flight.protocol.sql.CommandStatementIngest") + field(2, command)
    authorization = b"Basic " + base64.b64encode(f"admin:{PASSWORD}".encode())
    options = pa.flight.FlightCallOptions(
        headers=[(b"authorization", authorization)], write_options=pa.ipc.IpcWriteOptions(compression=codec))
    with pa.flight.FlightClient(gateway.uri, tls_root_certs=gateway.certificate.encode()) as client:
        writer, _ = client.do_put(pa.flight.FlightDescriptor.for_command(packed), rows.schema, options)
        with writer:
            writer.write_table(rows)
    with gateway.adbc() as connection, connection.cursor() as cursor:
        cursor.execute("from compressed")
        assert cursor.fetch_arrow_table().to_pylist() == rows.to_pylist()
        cursor.execute("drop table compressed")
