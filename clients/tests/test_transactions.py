"""Transactions and temporary tables of ADBC: the DB-API's default is a transaction from the first statement on."""

import adbc_driver_manager.dbapi as dbapi
import pytest


@pytest.fixture
def transactional(gateway):
    with gateway.adbc(autocommit=False) as connection:
        yield connection


@pytest.fixture
def table(gateway):
    with gateway.adbc() as connection, connection.cursor() as cursor:
        cursor.execute("create or replace table accounts (id int, amount int)")
        cursor.execute("insert into accounts values (1, 10)")
        yield "accounts"
        cursor.execute("drop table accounts")


def amount(connection):
    with connection.cursor() as cursor:
        cursor.execute("select sum(amount)::int from accounts")
        return cursor.fetchone()[0]


def test_a_commit_is_seen_by_others(gateway, transactional, table):
    with transactional.cursor() as cursor:
        cursor.execute("insert into accounts values (2, 5)")
    assert amount(transactional) == 15
    with gateway.adbc() as other:
        assert amount(other) == 10
        transactional.commit()
        assert amount(other) == 15


def test_a_rollback_undoes(transactional, table):
    with transactional.cursor() as cursor:
        cursor.execute("update accounts set amount = 0")
    assert amount(transactional) == 0
    transactional.rollback()
    assert amount(transactional) == 10


def test_transactions_follow_each_other(gateway, transactional, table):
    for _ in range(3):
        with transactional.cursor() as cursor:
            cursor.execute("update accounts set amount = amount + 1")
        transactional.commit()
    with gateway.adbc() as other:
        assert amount(other) == 13


def test_a_closed_connection_is_rolled_back(gateway, table):
    with gateway.adbc(autocommit=False) as connection, connection.cursor() as cursor:
        cursor.execute("delete from accounts")
    with gateway.adbc() as other:
        assert amount(other) == 10


def test_parameters_in_a_transaction(transactional, table):
    with transactional.cursor() as cursor:
        cursor.executemany("insert into accounts values (?, ?)", [(2, 1), (3, 2), (4, 3)])
    assert amount(transactional) == 16
    transactional.rollback()
    assert amount(transactional) == 10


def test_a_failure_is_rolled_back_and_the_connection_goes_on(transactional, table):
    with transactional.cursor() as cursor:
        cursor.execute("update accounts set amount = 1")
        with pytest.raises(dbapi.Error):
            cursor.execute("insert into accounts select 'x'::int, 1 from range(1)")
        with pytest.raises(dbapi.Error, match="(?i)roll"):
            cursor.execute("select 1")
    transactional.rollback()
    assert amount(transactional) == 10


def test_a_temporary_table_outlives_its_transaction(gateway, transactional):
    with transactional.cursor() as cursor:
        cursor.execute("create temp table mine as select 7 as n")
        transactional.commit()
        cursor.execute("select n from mine")
        assert cursor.fetchone() == (7,)
    with gateway.adbc() as other, other.cursor() as cursor:
        with pytest.raises(dbapi.Error, match="mine"):
            cursor.execute("select n from mine")


def test_a_temporary_table_without_transactions(connection):
    with connection.cursor() as cursor:
        cursor.execute("create temp table theirs as select 8 as n")
        cursor.execute("select n from theirs")
        assert cursor.fetchone() == (8,)


def test_a_result_that_is_not_read_to_its_end(transactional, table):
    with transactional.cursor() as cursor:
        cursor.execute("update accounts set amount = 2")
    with transactional.cursor() as cursor:
        cursor.execute("select * from lineitem")
        assert cursor.fetchone() is not None
    assert amount(transactional) == 2
    transactional.rollback()


def own_tables(connection):
    objects = connection.adbc_get_objects(depth="tables", table_name_filter="mine%").read_all().to_pylist()
    return {
        (catalog["catalog_name"], table["table_name"], table["table_type"])
        for catalog in objects
        for schema in catalog["catalog_db_schemas"] or []
        for table in schema["db_schema_tables"] or []
    }


def test_get_objects_shows_what_the_session_alone_has(gateway, transactional):
    with transactional.cursor() as cursor:
        cursor.execute("create temp table mine_temp (i int)")
        cursor.execute("create table mine_new (i int)")
    with gateway.adbc() as other:
        assert own_tables(transactional) == {
            ("temp", "mine_temp", "LOCAL TEMPORARY"), ("demo", "mine_new", "TABLE")}
        assert own_tables(other) == set()
        transactional.rollback()
        assert own_tables(other) == set()
