"""TPC-H, cell by cell against DuckDB in this process."""

import decimal
import io

import pyarrow.ipc
import pytest

from conftest import tpch

QUERIES = range(1, 23)
ARROW = "application/vnd.apache.arrow.stream"


def expected(oracle, number):
    rows = oracle.execute(tpch(number)).fetchall()
    assert rows
    return [tuple(row) for row in rows]


def same(actual, wanted):
    """Equal values; DuckDB's 128-bit integers arrive as decimals without fraction."""
    return [tuple(plain(cell) for cell in row) for row in actual] == [
        tuple(plain(cell) for cell in row) for row in wanted]


def plain(cell):
    if isinstance(cell, decimal.Decimal) and cell == cell.to_integral_value() and cell.as_tuple().exponent == 0:
        return int(cell)
    return cell


@pytest.mark.parametrize("number", QUERIES)
def test_adbc(cursor, oracle, number):
    cursor.execute(tpch(number))
    assert same(cursor.fetchall(), expected(oracle, number))


@pytest.mark.parametrize("number", QUERIES)
def test_http_arrow(client, oracle, number):
    response = client.post("/v1/queries", content=tpch(number), headers={"Accept": ARROW})
    assert response.status_code == 200, response.text
    table = pyarrow.ipc.open_stream(io.BytesIO(response.content)).read_all()
    rows = list(zip(*[column.to_pylist() for column in table.columns]))
    assert same(rows, expected(oracle, number))


@pytest.mark.parametrize("number", QUERIES)
def test_http_json(client, oracle, number):
    response = client.post("/v1/queries", content=tpch(number), headers={"Accept": "application/json"})
    assert response.status_code == 200, response.text
    wanted = expected(oracle, number)
    body = response.json()
    assert body["rowCount"] == len(wanted)
    assert len(body["data"]) == len(wanted)
    for row, wanted_row in zip(body["data"], wanted):
        for cell, wanted_cell in zip(row, wanted_row, strict=True):
            if isinstance(wanted_cell, float) or wanted_cell is None:
                assert cell == wanted_cell
            else:
                # Decimals and large integers are text in JSON, so that nothing is lost.
                assert str(cell) == str(wanted_cell)
