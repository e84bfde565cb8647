"""Stands in for the kernel's installer: every package is there from the start, and this page fetches none from outside.

The kernel asks for `piplite.piplite` before all else when it starts, and for `piplite.cli` when somebody writes `%pip`.
"""

from gate_browser import prepare

NOTHING = "This page brings all its packages along and installs none. Next: use the lab on your own machine for others."

prepare()
