"""What Python users do with ADBC: pandas, polars, parameters, errors, TLS, large results."""

import datetime
import decimal
import threading
import time

import adbc_driver_flightsql.dbapi as flightsql
import adbc_driver_manager.dbapi as dbapi
import pandas
import polars
import pyarrow
import pytest

LINEITEMS = 600_572


def test_the_first_query(cursor):
    cursor.execute("select 42 as answer")
    assert cursor.fetchone() == (42,)
    assert cursor.description[0][0] == "answer"


def test_arrow_table(cursor):
    cursor.execute("select * from nation order by n_nationkey")
    table = cursor.fetch_arrow_table()
    assert table.num_rows == 25
    assert table.schema.names == ["n_nationkey", "n_name", "n_regionkey", "n_comment"]
    assert table.schema.field("n_nationkey").type == pyarrow.int32()


def test_an_empty_result_has_its_schema(cursor):
    cursor.execute("select l_orderkey, l_extendedprice from lineitem where false")
    table = cursor.fetch_arrow_table()
    assert table.num_rows == 0
    assert table.schema.types == [pyarrow.int64(), pyarrow.decimal128(15, 2)]


def test_a_large_result_arrives_whole(cursor, oracle):
    cursor.execute("select l_orderkey, l_linenumber, l_extendedprice, l_comment from lineitem")
    rows = 0
    total = decimal.Decimal(0)
    for batch in cursor.fetch_record_batch():
        rows += batch.num_rows
        total += pyarrow.compute.sum(batch.column("l_extendedprice")).as_py()
    assert rows == LINEITEMS
    assert [(total,)] == oracle.execute("select sum(l_extendedprice) from lineitem").fetchall()


def test_a_slow_reader_gets_everything(cursor):
    cursor.execute("select * from lineitem")
    rows = 0
    for number, batch in enumerate(cursor.fetch_record_batch()):
        rows += batch.num_rows
        if number < 5:
            time.sleep(0.5)
    assert rows == LINEITEMS


def test_pandas(connection):
    frame = pandas.read_sql("select n_name, n_regionkey from nation order by n_name", connection)
    assert len(frame) == 25
    assert frame["n_name"].iloc[0] == "ALGERIA"


def test_polars(connection):
    frame = polars.read_database("select r_name, r_regionkey from region order by r_regionkey", connection)
    assert frame["r_name"].to_list() == ["AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"]


@pytest.mark.parametrize(
    "sql, value",
    [
        ("select ?::bigint + 1", 41),
        ("select ?::varchar || '!'", "größe 日本"),
        ("select ?::double / 2", 0.5),
        ("select not ?::boolean", True),
        ("select ?::date + 1", datetime.date(2024, 2, 28)),
        ("select ?::decimal(10,2) * 2", decimal.Decimal("12.34")),
    ],
)
def test_parameters(cursor, oracle, sql, value):
    cursor.execute(sql, (value,))
    assert cursor.fetchall() == oracle.execute(sql, [value]).fetchall()


def test_a_null_parameter(cursor):
    cursor.execute("select ?::integer is null", (None,))
    assert cursor.fetchone() == (True,)


def test_updates_report_their_count(connection):
    with connection.cursor() as cursor:
        cursor.execute("create table python_made (id bigint, note varchar)")
        try:
            cursor.execute("insert into python_made select i, 'x' from range(10) t(i)")
            assert cursor.rowcount in (10, -1)
            cursor.execute("select count(*) from python_made")
            assert cursor.fetchone() == (10,)
        finally:
            cursor.execute("drop table python_made")


@pytest.mark.parametrize("sql, reason", [("selekt 1", "selekt"), ("select * from nowhere", "nowhere")])
def test_a_faulty_statement_is_explained(cursor, sql, reason):
    with pytest.raises(dbapi.Error) as failure:
        cursor.execute(sql)
        cursor.fetchall()
    assert reason in str(failure.value)
    assert "/" not in str(failure.value).split("nowhere")[0].replace("INVALID", ""), "no paths in messages"


def test_the_connection_works_on_after_an_error(cursor):
    with pytest.raises(dbapi.Error):
        cursor.execute("select * from nowhere")
        cursor.fetchall()
    cursor.execute("select 1")
    assert cursor.fetchone() == (1,)


@pytest.mark.parametrize("user, password", [("admin", "wrong"), ("nobody", "python-test-1"), ("admin", "")])
def test_wrong_credentials_are_refused(gateway, user, password):
    with pytest.raises(dbapi.Error) as failure:
        with gateway.adbc(user=user, password=password) as connection, connection.cursor() as cursor:
            cursor.execute("select 1")
    assert "unauthenticated" in str(failure.value).lower()


def test_tls_without_verification(gateway):
    with gateway.adbc(verify=False) as connection, connection.cursor() as cursor:
        cursor.execute("select 1")
        assert cursor.fetchone() == (1,)


def test_an_unknown_certificate_is_not_trusted(gateway):
    with pytest.raises(dbapi.Error):
        with flightsql.connect(
            gateway.uri, db_kwargs={"username": "admin", "password": "x"}, autocommit=True
        ) as connection, connection.cursor() as cursor:
            cursor.execute("select 1")


def test_cancel_from_another_thread(gateway):
    with gateway.adbc() as connection, connection.cursor() as cursor:
        failures = []

        def run():
            try:
                cursor.execute("select count(*) from lineitem a, lineitem b where a.l_comment < b.l_comment")
                cursor.fetchall()
            except dbapi.Error as error:
                failures.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        end = time.monotonic() + 20
        while not gateway.running():
            assert time.monotonic() < end, "the query did not start"
            time.sleep(0.05)
        cursor.adbc_cancel()
        thread.join(20)
        assert not thread.is_alive()
        assert failures
    gateway.await_idle()


def test_a_reader_that_goes_away_frees_its_query(gateway):
    connection = gateway.adbc()
    cursor = connection.cursor()
    cursor.execute("select * from lineitem, range(1000)")
    reader = cursor.fetch_record_batch()
    assert reader.read_next_batch().num_rows > 0
    reader.close()
    cursor.close()
    connection.close()
    gateway.await_idle()


def test_metadata(connection):
    objects = connection.adbc_get_objects(depth="tables", catalog_filter="demo").read_all().to_pylist()
    tables = {
        table["table_name"]
        for catalog in objects
        for schema in catalog["catalog_db_schemas"]
        for table in schema["db_schema_tables"]
    }
    assert {"lineitem", "orders", "nation"} <= tables
    schema = connection.adbc_get_table_schema("region")
    assert schema.names == ["r_regionkey", "r_name", "r_comment"]
    assert "Weir" in str(connection.adbc_get_info())
