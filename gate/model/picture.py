"""The score as a picture: for each kind of fault, how many outputs each reader let through. The only module here that
needs matplotlib.

Not here: the counts (`score`). `repr` gives the same in words, for those who cannot see it.
"""

from __future__ import annotations

from typing import Any

from gate.evidence.picture import Picture
from gate.model.score import READERS, UNSEEN, Score

_COLOURS = ("#b3541e", "#e0a458", "#3d6b8c")


class ScorePicture(Picture):
    """Bars that a notebook shows by itself: one group a kind, one bar a reader. What should pass stands last."""

    def __init__(self, scores: list[Score]) -> None:
        self.scores = scores

    def __repr__(self) -> str:
        told = "; ".join(
            f"{item.kind}: {item.naive}, {item.jsonschema}, {item.gate} of {item.outputs}" for item in self.scores
        )
        return f"<let through by {', '.join(READERS)}: {told}>"

    def figure(self) -> Any:
        """Return it as a matplotlib Figure that belongs to no window."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7.5, 0.6 + 0.55 * len(self.scores)))
        axes = figure.add_subplot()
        for reader, (name, colour) in enumerate(zip(READERS, _COLOURS, strict=True)):
            places = [row + (reader - 1) * 0.26 for row in range(len(self.scores))]
            counts = [item[2 + reader] for item in self.scores]
            bars = axes.barh(places, counts, height=0.24, color=colour, label=name)
            axes.bar_label(bars, padding=2, fontsize=7)
        axes.set_yticks(range(len(self.scores)))
        axes.set_yticklabels([_label(item) for item in self.scores], fontsize=8)
        axes.invert_yaxis()
        axes.set_xlabel("outputs let through", fontsize=8)
        axes.tick_params(axis="y", length=0)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(fontsize=8, loc="upper right")
        return figure


def _label(item: Score) -> str:
    return f"{item.kind} ({item.outputs})" + (" *" if item.kind in UNSEEN else "")
