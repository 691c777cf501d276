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


def test_pandas_reads_tables_and_arrow_types(connection):
    frame = pandas.read_sql("select l_orderkey, l_shipdate from lineitem limit 10", connection, dtype_backend="pyarrow")
    assert [str(dtype) for dtype in frame.dtypes] == ["int64[pyarrow]", "date32[day][pyarrow]"]
    assert len(pandas.read_sql_table("nation", connection, schema="main")) == 25


def test_polars_binds_parameters(connection):
    sql = "select l_orderkey from lineitem where l_orderkey < ?"
    frame = polars.read_database(sql, connection, execute_options={"parameters": (100,)})
    assert 0 < frame["l_orderkey"].max() < 100


def test_an_empty_result_of_pandas_and_polars_has_its_columns(connection):
    sql = "select n_name, n_nationkey from nation where false"
    assert list(pandas.read_sql(sql, connection).columns) == ["n_name", "n_nationkey"]
    frame = polars.read_database(sql, connection)
    assert frame.schema == {"n_name": polars.String, "n_nationkey": polars.Int32}


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


PARAMETERS = [
    pyarrow.array([True]),
    pyarrow.array([-128], pyarrow.int8()),
    pyarrow.array([255], pyarrow.uint8()),
    pyarrow.array([-32768], pyarrow.int16()),
    pyarrow.array([2**32 - 1], pyarrow.uint32()),
    pyarrow.array([2**64 - 1], pyarrow.uint64()),
    pyarrow.array([1.5], pyarrow.float32()),
    pyarrow.array([decimal.Decimal("9999999999999999999999999999.9999999999")], pyarrow.decimal128(38, 10)),
    pyarrow.array(["größe 日本"], pyarrow.large_string()),
    pyarrow.array(["a view of some length"], pyarrow.string_view()),
    pyarrow.array([b"\x00\xff"], pyarrow.binary()),
    pyarrow.array([datetime.date(2024, 2, 29)]),
    pyarrow.array([datetime.time(12, 34, 56, 789)], pyarrow.time64("us")),
    pyarrow.array([datetime.datetime(2024, 2, 29, 12, 34, 56, 789)], pyarrow.timestamp("us")),
    pyarrow.array([datetime.datetime(2024, 2, 29, tzinfo=datetime.timezone.utc)], pyarrow.timestamp("us", "UTC")),
    pyarrow.array([[1, None, 3]], pyarrow.list_(pyarrow.int32())),
    pyarrow.array(["x"]).dictionary_encode(),
    pyarrow.array([None], pyarrow.int64()),
]


@pytest.mark.parametrize("value", PARAMETERS, ids=lambda value: str(value.type))
def test_parameters_of_every_arrow_type(cursor, value):
    cursor.execute("select ? as v", pyarrow.record_batch([value], names=["1"]))
    assert cursor.fetch_arrow_table().column("v").to_pylist() == value.to_pylist()


def test_parameters_are_described(cursor):
    schema = cursor.adbc_prepare("select ?::bigint, ?::varchar, ?::timestamp")
    assert schema.types == [pyarrow.int64(), pyarrow.string(), pyarrow.timestamp("ms")]


def test_a_prepared_statement_serves_many_executions(cursor):
    counts = []
    for key in (1, 2, 3, 4):
        cursor.execute("select count(*) from lineitem where l_orderkey = ?", (key,))
        counts.append(cursor.fetchone()[0])
    assert counts == [6, 1, 6, 1]


def test_missing_parameters_are_counted(cursor):
    with pytest.raises(dbapi.Error, match="(?i)parameter"):
        cursor.execute("select ?::integer, ?::varchar", (1,))
        cursor.fetchall()


def test_the_schema_is_known_before_the_query_runs(gateway, cursor):
    schema = cursor.adbc_execute_schema("select n_name, n_nationkey from nation, range(1000000000)")
    assert schema.names == ["n_name", "n_nationkey"]
    assert not gateway.running()


def test_partitions_are_read_by_another_connection(gateway, cursor):
    partitions, schema = cursor.adbc_execute_partitions("select * from nation")
    assert schema.names[0] == "n_nationkey"
    assert len(partitions) == 1
    with gateway.adbc() as other, other.cursor() as reader:
        reader.adbc_read_partition(partitions[0])
        assert reader.fetch_arrow_table().num_rows == 25


def test_partitions_in_parallel(gateway):
    header = {"adbc.flight.sql.rpc.call_header.weir-partitions": "4"}
    with gateway.adbc(**header) as connection, connection.cursor() as cursor:
        partitions, _ = cursor.adbc_execute_partitions("select l_orderkey from lineitem")
        assert len(partitions) == 4
        cursor.execute("select l_orderkey from lineitem")
        assert cursor.fetch_arrow_table().num_rows == LINEITEMS


def test_the_session_has_a_catalog_and_a_schema(gateway):
    cookies = {"adbc.flight.sql.rpc.with_cookie_middleware": "true"}
    with gateway.adbc(**cookies) as connection, connection.cursor() as cursor:
        cursor.execute("create schema if not exists python_schema")
        try:
            connection.adbc_current_catalog = "demo"
            connection.adbc_current_db_schema = "python_schema"
            assert (connection.adbc_current_catalog, connection.adbc_current_db_schema) == ("demo", "python_schema")
            cursor.execute("select current_schema()")
            assert cursor.fetchone() == ("python_schema",)
            with pytest.raises(dbapi.Error):
                connection.adbc_current_catalog = "nowhere"
        finally:
            cursor.execute("use demo.main")
            cursor.execute("drop schema python_schema")


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


def test_a_client_certificate_is_an_identity(gateway):
    own = gateway.authority.issue_cert("admin", common_name="admin")
    options = {
        "adbc.flight.sql.client_option.tls_root_certs": gateway.certificate,
        "adbc.flight.sql.client_option.mtls_cert_chain": own.cert_chain_pems[0].bytes().decode(),
        "adbc.flight.sql.client_option.mtls_private_key": own.private_key_pem.bytes().decode(),
    }
    with flightsql.connect(gateway.uri, db_kwargs=options, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute("select ?::integer", (42,))
        assert cursor.fetchone() == (42,)


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


def objects(connection, depth, **filters):
    return connection.adbc_get_objects(depth=depth, **filters).read_all().to_pylist()


def test_metadata_at_every_depth(connection):
    catalogs = objects(connection, "catalogs")
    assert {"catalog_name": "demo", "catalog_db_schemas": None} in catalogs
    assert not {"system", "temp"} & {catalog["catalog_name"] for catalog in catalogs}
    schemas = objects(connection, "db_schemas", catalog_filter="demo")[0]["catalog_db_schemas"]
    assert "main" in [schema["db_schema_name"] for schema in schemas]
    assert not {"information_schema", "pg_catalog"} & {schema["db_schema_name"] for schema in schemas}
    columns = objects(connection, "all", catalog_filter="demo", db_schema_filter="main", table_name_filter="nation")
    (table,) = columns[0]["catalog_db_schemas"][0]["db_schema_tables"]
    assert table["table_type"] == "TABLE"
    assert [column["column_name"] for column in table["table_columns"]] == [
        "n_nationkey", "n_name", "n_regionkey", "n_comment"]
    assert table["table_columns"][0]["xdbc_type_name"] == "INTEGER"


def test_metadata_filters_are_patterns(cursor, connection):
    cursor.execute("create table python_a_b (i int)")
    cursor.execute("create table python_axb (i int)")
    try:
        def tables(pattern, **more):
            (catalog,) = objects(connection, "tables", catalog_filter="demo", table_name_filter=pattern, **more)
            return [t["table_name"] for schema in catalog["catalog_db_schemas"] for t in schema["db_schema_tables"]]

        assert tables("python_a_b") == ["python_a_b", "python_axb"]
        assert tables("python\\_a\\_b") == ["python_a_b"]
        assert tables("python%", table_types_filter=["VIEW"]) == []
        assert "TABLE" in connection.adbc_get_table_types()
    finally:
        cursor.execute("drop table python_axb")
        cursor.execute("drop table python_a_b")


def test_rows_beyond_one_message_arrive(cursor):
    cursor.execute("select i, repeat('x', 1000000) as s from range(40) t(i) order by i")
    table = cursor.fetch_arrow_table()
    assert table.column("i").to_pylist() == list(range(40))
    assert pyarrow.compute.sum(pyarrow.compute.binary_length(table.column("s"))).as_py() == 40_000_000


def test_a_text_beyond_the_limits_has_a_clear_answer(cursor):
    with pytest.raises(dbapi.Error, match="(?i)long|large|limit|length"):
        cursor.execute("select '" + "x" * (2 << 20) + "'")
        cursor.fetchall()
    cursor.execute("select 1")
    assert cursor.fetchone() == (1,)
