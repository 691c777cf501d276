"""Looks that every expression of dashboards and rules has data.

    expressions.py PROMETHEUS FILE ...     *.json are dashboards, the others rules; waits up to three minutes
"""

import sys
import time

import prometheus_api as api

WAIT_SECONDS = 180


def expressions(files):
    for file in files:
        if file.endswith(".json"):
            for panel in api.panels(file)[1]:
                for target in panel["targets"]:
                    yield f"{file}: {panel['title']}", api.of_panel(target["expr"])
        else:
            for name, expr, alert in api.rules(file):
                yield f"{file}: {name}", api.left_operand(expr) if alert else expr


def main(base, files):
    missing = list(expressions(files))
    every = len(missing)
    end = time.monotonic() + WAIT_SECONDS
    while missing and time.monotonic() < end:
        time.sleep(3)
        try:
            missing = [(where, expr) for where, expr in missing if not api.instant(base, expr)]
        except OSError as failure:
            print(f"Prometheus does not answer yet: {failure}", file=sys.stderr)
    for where, expr in missing:
        print(f"no data: {where}: {expr}")
    print(f"{every - len(missing)} of {every} expressions have data")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
