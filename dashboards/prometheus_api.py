"""What the scripts beside this ask of a Prometheus, and of the dashboards' files."""

import json
import re
import time
import urllib.parse
import urllib.request

INTERVAL = "30s"


def ask(base, path, **parameters):
    with urllib.request.urlopen(f"{base}/api/v1/{path}?{urllib.parse.urlencode(parameters)}", timeout=30) as answer:
        return json.load(answer)["data"]


def instant(base, expr):
    return ask(base, "query", query=expr)["result"]


def over_time(base, expr, seconds, step=2):
    now = time.time()
    return ask(base, "query_range", query=expr, start=now - seconds, end=now, step=step)["result"]


def of_panel(expr):
    """A panel's expression with Grafana's variables filled in."""
    return expr.replace("$__rate_interval", INTERVAL).replace('"$instance"', '".*"')


def panels(file):
    with open(file, encoding="utf-8") as source:
        dashboard = json.load(source)
    return dashboard["title"], [panel for panel in dashboard["panels"] if panel["type"] != "row"]


def rules(file):
    """Name, expression and whether it is an alert, for each rule; of our own files, so that no YAML library is needed."""
    found, name, alert = [], None, False
    with open(file, encoding="utf-8") as source:
        for line in source:
            head = re.match(r"\s*- (alert|record): (\S+)", line)
            if head:
                name, alert = head.group(2), head.group(1) == "alert"
            body = re.match(r"\s*expr: '(.*)'$", line)
            if body:
                found.append((name, body.group(1).replace("''", "'"), alert))
    return found


def left_operand(expr):
    """What an alert compares: without it, a condition that does not hold has no data."""
    return re.match(r"(.*) (?:==|>|<) [^()]+$", expr).group(1)
