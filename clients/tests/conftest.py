"""One gateway for all tests, started by bin/weir as a user would."""

import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

import adbc_driver_flightsql
import adbc_driver_flightsql.dbapi as flightsql
import adbc_driver_manager
import duckdb
import httpx
import pytest
import trustme
from cryptography.hazmat.primitives import serialization

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEIR = ROOT / "bin" / "weir"
TPCH = ROOT / "clients" / "tpch"
PASSWORD = "python-test-1"


def clean_environment(**more):
    env = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}
    env.update(more)
    return env


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    try:
        for s in sockets:
            s.bind(("0.0.0.0", 0))
        return [s.getsockname()[1] for s in sockets]
    finally:
        for s in sockets:
            s.close()


def write_pkcs8(pem, path):
    """Writes a private key in the form that the gateway takes."""
    key = serialization.load_pem_private_key(pem, password=None)
    path.write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))


class Gateway:
    """A running gateway and the ways to it. Its certificate, and those of clients, are of an authority of its own."""

    def __init__(self, directory):
        self.directory = directory
        self.data = directory / "data"
        self.log = directory / "log"
        self.copy = directory / "copy.duckdb"
        self.authority = trustme.CA()
        self.authority_file = directory / "ca.pem"
        self.http_port, self.flight_port, self.management_port = free_ports(3)
        self.process = None

    def start(self):
        self.data.mkdir()
        database = self.data / "demo.duckdb"
        subprocess.run(
            [WEIR, "tpch", "--sf", "0.1", "--out", database],
            check=True, env=clean_environment(), timeout=300)
        certificate = self.authority.issue_cert("localhost", "127.0.0.1")
        self.authority.cert_pem.write_to_path(self.authority_file)
        for pem in certificate.cert_chain_pems:
            pem.write_to_path(self.directory / "server.pem", append=True)
        write_pkcs8(certificate.private_key_pem.bytes(), self.directory / "server.key")
        # While a gateway has the file open nobody else may: the oracle reads a copy.
        shutil.copyfile(database, self.copy)
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [
                    WEIR, "serve", "--demo",
                    f"--weir.data-dir={self.data}",
                    f"--weir.http.port={self.http_port}",
                    f"--weir.flight.port={self.flight_port}",
                    f"--weir.management.port={self.management_port}",
                    f"--weir.tls.certificate={self.directory / 'server.pem'}",
                    f"--weir.tls.private-key={self.directory / 'server.key'}",
                    f"--weir.tls.client-ca={self.authority_file}",
                ],
                stdout=log, stderr=subprocess.STDOUT, env=clean_environment(WEIR_ADMIN_PASSWORD=PASSWORD))
        self.await_ready()

    def await_ready(self):
        url = f"http://127.0.0.1:{self.management_port}/actuator/health/readiness"
        end = time.monotonic() + 180
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            try:
                if httpx.get(url, timeout=5).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.2)
        raise RuntimeError("the gateway did not start:\n" + self.log.read_text())

    def stop(self):
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
            raise

    @property
    def certificate(self):
        """Of the authority."""
        return self.authority_file.read_text()

    @property
    def uri(self):
        return f"grpc+tls://localhost:{self.flight_port}"

    def adbc(self, user="admin", password=PASSWORD, verify=True, autocommit=True, **options):
        """A DB-API connection; autocommit, unless the caller says otherwise."""
        tls = (
            {"adbc.flight.sql.client_option.tls_root_certs": self.certificate}
            if verify
            else {"adbc.flight.sql.client_option.tls_skip_verify": "true"}
        )
        return flightsql.connect(
            self.uri, db_kwargs={"username": user, "password": password, **tls, **options}, autocommit=autocommit)

    def http(self, user="admin", password=PASSWORD):
        import ssl

        context = ssl.create_default_context(cadata=self.certificate)
        return httpx.Client(
            base_url=f"https://localhost:{self.http_port}", auth=(user, password), verify=context, timeout=60)

    def running(self):
        with self.http() as client:
            queries = client.get("/v1/queries").json()["queries"]
        return [q for q in queries if q["state"] in ("RUNNING", "STREAMING", "CANCELLING")]

    def await_idle(self):
        end = time.monotonic() + 20
        while self.running():
            assert time.monotonic() < end, f"still running: {self.running()}"
            time.sleep(0.05)


@pytest.fixture(scope="session")
def gateway():
    directory = pathlib.Path(tempfile.mkdtemp(prefix="weir-clients-"))
    gateway = Gateway(directory)
    try:
        gateway.start()
        yield gateway
    finally:
        try:
            gateway.stop()
        finally:
            if not os.environ.get("WEIR_TEST_KEEP"):
                shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture(scope="session")
def oracle(gateway):
    """DuckDB in this process, on a copy of the file that the gateway serves."""
    with duckdb.connect(str(gateway.copy), read_only=True) as connection:
        yield connection


@pytest.fixture
def connection(gateway):
    with gateway.adbc() as connection:
        yield connection


@pytest.fixture
def cursor(connection):
    with connection.cursor() as cursor:
        yield cursor


@pytest.fixture
def client(gateway):
    with gateway.http() as client:
        yield client


def tpch(number):
    return (TPCH / f"q{number:02}.sql").read_text()
