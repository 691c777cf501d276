"""Plain HTTP, as curl and pandas use it."""

import io
import shutil
import subprocess

import pandas
import pyarrow
import pytest

from conftest import PASSWORD, WEIR, clean_environment


def test_csv_for_pandas(client):
    response = client.post(
        "/v1/queries", content="select n_name, n_regionkey from nation order by n_name", headers={"Accept": "text/csv"})
    frame = pandas.read_csv(io.StringIO(response.text))
    assert list(frame.columns) == ["n_name", "n_regionkey"]
    assert len(frame) == 25


def test_ndjson(client):
    response = client.post(
        "/v1/queries", content="select r_name from region order by 1", headers={"Accept": "application/x-ndjson"})
    assert response.text.splitlines()[0] == '{"r_name":"AFRICA"}'


def test_parameters(client):
    response = client.post(
        "/v1/queries", json={"sql": "select ?::integer + 1 as n, ?::varchar as t", "parameters": [41, "x"]})
    assert response.json()["data"] == [[42, "x"]]


@pytest.mark.parametrize(
    "content, status, code",
    [
        ("selekt 1", 400, "INVALID_SQL"),
        ("select * from nowhere", 400, "INVALID_SQL"),
        ("select 1; select 2", 400, "INVALID_SQL"),
        ("", 400, "INVALID_REQUEST"),
        (b"select '\xff'", 400, "INVALID_REQUEST"),
    ],
)
def test_bad_requests_are_problems(client, content, status, code):
    response = client.post("/v1/queries", content=content)
    assert response.status_code == status, response.text
    assert response.headers["content-type"].startswith("application/problem+json")
    assert response.json()["code"] in (code, "INVALID_REQUEST")


def test_a_wrong_password_is_refused(gateway):
    with gateway.http(password="wrong") as client:
        response = client.post("/v1/queries", content="select 1")
    assert response.status_code == 401
    assert response.json()["code"] == "UNAUTHENTICATED"


def test_a_client_that_goes_away_frees_its_query(gateway):
    with gateway.http() as client:
        with client.stream(
            "POST", "/v1/queries", content="select * from lineitem, range(1000)", headers={"Accept": "text/csv"}
        ) as response:
            assert response.status_code == 200
            next(response.iter_bytes())
    gateway.await_idle()


def test_an_asynchronous_query_can_be_fetched_and_cancelled(client):
    response = client.post("/v1/queries", content="select count(*) from lineitem", headers={"Prefer": "respond-async"})
    assert response.status_code == 202, response.text
    location = response.headers["location"]
    for _ in range(100):
        result = client.get(location + "/result")
        if result.status_code != 409:
            break
    assert result.json()["data"] == [[600_572]]
    assert client.delete(location).status_code in (200, 202, 204)


def test_arrow_for_pandas(client):
    response = client.post(
        "/v1/queries", content="select * from lineitem limit 1000",
        headers={"Accept": "application/vnd.apache.arrow.stream"})
    frame = pyarrow.ipc.open_stream(response.content).read_pandas()
    assert len(frame) == 1000
    assert frame["l_shipdate"].notna().all()


@pytest.mark.parametrize("user, status", [("admin:" + PASSWORD, "200"), ("admin:wrong", "401")])
def test_curl(gateway, user, status):
    curl = shutil.which("curl")
    if curl is None:
        pytest.skip("no curl here")
    result = subprocess.run(
        [curl, "--silent", "--cacert", gateway.authority_file, "--user", user, "--header", "Accept: text/csv",
         "--write-out", "%{http_code}", "--data", "select 'größe' as s", f"https://localhost:{gateway.http_port}/v1/queries"],
        capture_output=True, text=True, timeout=60)
    assert result.stdout.endswith(status), result.stderr
    if status == "200":
        assert result.stdout == "s\ngröße\n200"


def test_missing_parameters_are_counted(client):
    response = client.post("/v1/queries", json={"sql": "select ?::integer, ?::varchar", "parameters": [1]})
    assert response.status_code == 400
    assert "arameter" in response.json()["detail"]


def weir_query(gateway, *args):
    return subprocess.run(
        [WEIR, "query", "--url", f"https://localhost:{gateway.http_port}", "--ca", gateway.authority_file, *args],
        capture_output=True, text=True, timeout=60,
        env=clean_environment(WEIR_PASSWORD=PASSWORD, WEIR_DATA_DIR=str(gateway.data)))


def test_the_command_line_client(gateway):
    result = weir_query(gateway, "select count(*) as n from lineitem")
    assert result.returncode == 0, result.stderr
    assert result.stdout == "      n\n--------\n 600572\n(1 row)\n"


def test_the_command_line_client_shows_where_the_fault_is(gateway):
    result = weir_query(gateway, "select 1 frm nation")
    assert result.returncode == 1
    assert "INVALID_SQL" in result.stderr
    assert "^" in result.stderr
