"""Load for check.sh: several users with short and long queries, failures, cancels, slow readers, uploads and wrong passwords.

    load.py HTTP,FLIGHT [HTTP,FLIGHT ...]     the URLs of each gateway

Runs until it is ended; the password of all users is WEIR_ADMIN_PASSWORD. Without adbc-driver-flightsql nothing goes over
Flight SQL.
"""

import base64
import http.client
import json
import os
import random
import ssl
import sys
import threading
import time
from urllib.parse import urlsplit

try:
    import adbc_driver_flightsql.dbapi as flightsql
except ImportError:
    print("load.py: no adbc-driver-flightsql, so nothing over Flight SQL", flush=True)
    flightsql = None

PASSWORD = os.environ["WEIR_ADMIN_PASSWORD"]
SHORT = "select {n} as n"
LONG = "select count(*), sum(hash(a.range)) from range(3000000) a, range({n}) b"
WIDE = "select range as n, 'a text of some length ' || range as s from range(400000)"
FORMATS = ["application/json", "application/x-ndjson", "text/csv", "application/vnd.apache.arrow.stream"]


class Caller:
    """One user's calls to one gateway."""

    def __init__(self, url, user, password=PASSWORD):
        self.target = urlsplit(url)
        self.headers = {
            "Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode(),
            "Content-Type": "application/json",
        }

    def call(self, method, path, body=None, accept="application/json", **headers):
        tls = ssl._create_unverified_context()
        connection = http.client.HTTPSConnection(self.target.hostname, self.target.port, context=tls, timeout=120)
        connection.request(method, path, body, {**self.headers, "Accept": accept, **headers})
        return connection, connection.getresponse()

    def query(self, sql, accept="application/json", pause=0.0, leave=False, **options):
        connection, response = self.call("POST", "/v1/queries", json.dumps({"sql": sql, **options}), accept)
        try:
            if leave:
                return
            while response.read(1 << 16):
                time.sleep(pause)
        finally:
            connection.close()


def forever(step):
    def run():
        while True:
            try:
                step()
            except Exception:  # noqa: BLE001 - a gateway that is stopping ends the load with it
                time.sleep(0.2)

    threading.Thread(target=run, daemon=True).start()


def cancelled(caller):
    connection, response = caller.call(
        "POST", "/v1/queries", json.dumps({"sql": LONG.format(n=400), "wait": "0s"})
    )
    query = json.loads(response.read())["queryId"]
    connection.close()
    time.sleep(0.5)
    connection, response = caller.call("DELETE", "/v1/queries/" + query)
    response.read()
    connection.close()
    time.sleep(2)


def uploaded(caller):
    connection, response = caller.call("POST", "/v1/queries", json.dumps({"sql": WIDE}), FORMATS[3])
    rows = response.read()
    connection.close()
    connection, response = caller.call(
        "POST", "/v1/tables/uploads/rows?mode=replace", rows, **{"Content-Type": FORMATS[3]}
    )
    response.read()
    connection.close()


def over_flight(url, user):
    options = {"username": user, "password": PASSWORD, "adbc.flight.sql.client_option.tls_skip_verify": "true"}
    with flightsql.connect(url, db_kwargs=options) as connection, connection.cursor() as cursor:
        for _ in range(20):
            cursor.execute(SHORT.format(n=random.randrange(100)))
            cursor.fetchall()
            cursor.execute("select * from range(?) r(i)", parameters=(random.randrange(100000),))
            cursor.fetch_arrow_table()
            time.sleep(0.1)
        connection.commit()


def pausing(sleep, step):
    def run():
        step()
        time.sleep(sleep)

    return run


def main(urls):
    for index, (url, flight) in enumerate(pair.split(",") for pair in urls):
        users = ["ann", "bob", "cid"] if index == 0 else ["admin"]
        for user in users:
            caller = Caller(url, user)
            forever(pausing(0.05, lambda c=caller: c.query(SHORT.format(n=random.randrange(100)))))
        heavy = Caller(url, users[0])
        for _ in range(3 if index == 0 else 1):
            forever(lambda c=heavy: c.query(LONG.format(n=random.randrange(10, 40))))
        last = Caller(url, users[-1])
        forever(pausing(0.5, lambda c=last: c.query(WIDE, random.choice(FORMATS))))
        forever(pausing(1, lambda c=last: c.query("select nonsense")))
        forever(pausing(1, lambda c=last: c.query("select error('no') from range(10)")))
        forever(lambda c=last: cancelled(c))
        forever(pausing(2, lambda c=last: uploaded(c)))
        if flightsql is not None:
            forever(lambda f=flight, u=users[-1]: over_flight(f, u))
        forever(pausing(1, lambda c=last: c.query(WIDE, FORMATS[3], pause=0.4)))
    first = urls[0].split(",")[0]
    forever(pausing(1, lambda: Caller(first, "ann", "wrong").query("select 1")))
    for _ in range(8):
        forever(pausing(0.3, lambda: Caller(first, "bob").query(LONG.format(n=5), **{"class": "heavy"})))
    threading.Event().wait()


if __name__ == "__main__":
    main(sys.argv[1:])
