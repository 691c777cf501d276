"""SQLAlchemy over ADBC, with the dialect sqlalchemy-adbc."""

import base64

import pytest

from conftest import PASSWORD

sqlalchemy = pytest.importorskip("sqlalchemy")
pytest.importorskip("sqlalchemy_adbc")


@pytest.fixture
def engine(gateway):
    credentials = base64.b64encode(f"admin:{PASSWORD}".encode()).decode()
    url = sqlalchemy.URL.create(
        "adbc+flightsql", host="localhost", port=gateway.flight_port, query={
            "authorization": f"Basic {credentials}",
            "adbc.flight.sql.client_option.tls_root_certs": gateway.certificate,
            "adbc.flight.sql.rpc.with_cookie_middleware": "true",
        })
    engine = sqlalchemy.create_engine(url)
    yield engine
    engine.dispose()


def test_a_query_with_parameters(engine):
    with engine.connect() as connection:
        result = connection.execute(
            sqlalchemy.text("select n_name from nation where n_nationkey = :key"), {"key": 0})
        assert result.scalar_one() == "ALGERIA"


def test_tables_are_reflected(engine):
    inspector = sqlalchemy.inspect(engine)
    assert "main" in inspector.get_schema_names()
    assert [column["name"] for column in inspector.get_columns("region", schema="main")] == [
        "r_regionkey", "r_name", "r_comment"]


def test_a_transaction_is_committed_or_rolled_back(engine):
    table = sqlalchemy.Table(
        "alchemy", sqlalchemy.MetaData(), sqlalchemy.Column("i", sqlalchemy.Integer),
        sqlalchemy.Column("s", sqlalchemy.String))
    with engine.begin() as connection:
        connection.execute(sqlalchemy.schema.CreateTable(table))
        connection.execute(table.insert(), [{"i": 1, "s": "a"}, {"i": 2, "s": None}])
    try:
        with engine.connect() as connection:
            connection.execute(table.delete())
            connection.rollback()
            assert connection.execute(sqlalchemy.select(table).order_by(table.c.i)).all() == [(1, "a"), (2, None)]
    finally:
        with engine.begin() as connection:
            connection.execute(sqlalchemy.schema.DropTable(table))
