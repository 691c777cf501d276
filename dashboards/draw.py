"""Draws a picture of each dashboard from what a Prometheus answers. Needs matplotlib.

    draw.py PROMETHEUS DIRECTORY DASHBOARD.json ...
"""

import math
import os
import re
import sys
import time

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

import prometheus_api as api  # noqa: E402

SECONDS = 120
ACROSS = 3
MOST_LINES = 8


def legend(pattern, labels):
    text = re.sub(r"{{\s*(\w+)\s*}}", lambda match: labels.get(match.group(1), ""), pattern)
    return text.strip() or "value"


def lines(base, panel):
    for target in panel["targets"]:
        for series in api.over_time(base, api.of_panel(target["expr"]), SECONDS):
            points = [(float(at), float(value)) for at, value in series["values"]]
            yield legend(target["legendFormat"], series["metric"]), points


def draw_panel(axes, base, panel):
    axes.set_title(panel["title"], fontsize=9, loc="left")
    axes.tick_params(labelsize=7)
    axes.grid(alpha=0.3)
    now = time.time()
    drawn = sorted(lines(base, panel), key=lambda line: -max((v for _, v in line[1] if v == v), default=0))
    for name, points in drawn[:MOST_LINES]:
        axes.plot([at - now for at, _ in points], [value for _, value in points], label=name[:40], linewidth=1)
    axes.set_ylim(bottom=0)
    axes.set_xlim(-SECONDS, 0)
    unit = panel["fieldConfig"]["defaults"]["unit"]
    axes.set_ylabel("" if unit == "none" else unit, fontsize=7)
    if drawn:
        axes.legend(fontsize=6, loc="upper left")


def draw(base, directory, file):
    title, panels = api.panels(file)
    down = math.ceil(len(panels) / ACROSS)
    figure, grid = plt.subplots(down, ACROSS, figsize=(5 * ACROSS, 2.6 * down), squeeze=False)
    for axes in grid.flat[len(panels):]:
        axes.axis("off")
    for axes, panel in zip(grid.flat, panels):
        draw_panel(axes, base, panel)
    figure.suptitle(title, x=0.01, ha="left", fontsize=12)
    figure.tight_layout(rect=(0, 0, 1, 0.98))
    to = os.path.join(directory, os.path.basename(file).replace(".json", ".png"))
    figure.savefig(to, dpi=70)
    plt.close(figure)
    print(to)


def main(base, directory, files):
    os.makedirs(directory, exist_ok=True)
    for file in files:
        draw(base, directory, file)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
