"""A curve as a picture: SVG, both axes logarithmic, each line with a mark of its own, not a colour alone.

Not here: the numbers in words; the page has them in a table below the picture.
"""

from __future__ import annotations

import io
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from benchmarks.topic import Curve

_MARKS = "osD^vPX"
_SAME_EACH_TIME: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "gate"}  # text stays text, ids do not change


def svg(curve: Curve) -> str:
    """Return the picture as SVG text. The same numbers give the same text."""
    figure = Figure(figsize=(8, 4.2), layout="constrained")
    axes = figure.add_subplot()
    for mark, (way, points) in zip(_MARKS * len(curve.lines), curve.lines.items(), strict=False):
        sizes = sorted(points)
        axes.plot(sizes, [points[size] for size in sizes], marker=mark, markersize=5, label=way)
    axes.set(xscale="log", yscale="log", xlabel=curve.across, ylabel=curve.up, title=curve.title)
    every = sorted({size for points in curve.lines.values() for size in points})
    axes.set_xticks(every, [f"{size:,}" for size in every])
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right upper", frameon=False, fontsize=9)
    out = io.StringIO()
    with matplotlib.rc_context(_SAME_EACH_TIME):
        figure.savefig(out, format="svg", metadata={"Date": None, "Description": curve.title})
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"
