"""The clock in a real JupyterLab: it ticks while the kernel is busy, is kept, and turns amber and red.

Not here: after a reload and a restart (`test_memory_lab`, in a notebook of the kit).
"""

from __future__ import annotations

import json
import time

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.lab import LabPage, LabServer, Notebook
from tests.browser.waiting import expect_ticks
from tests.waiting import wait_until

SHOW = "from gate.lab import clock\nclock('memory', '02_freeze_the_contract')"


@pytest.fixture
def notebook(lab: LabServer, page: LabPage) -> Notebook:
    """A notebook whose first cell shows the clock of a section of 15 minutes."""
    return page.open(lab.notebook("clock.ipynb", [SHOW, lab.wait_for_file("go")]))


def shown_clock(notebook: Notebook, index: int = 0) -> Locator:
    notebook.run_cell(index)
    shown = notebook.output(index).locator(".gate-clock")
    shown.wait_for()
    return shown


def began(lab: LabServer, minutes_ago: float) -> None:
    """Save that the section began some minutes ago."""
    event = {"section": "02_freeze_the_contract", "action": "start", "at": int((time.time() - 60 * minutes_ago) * 1000)}
    lab.work.mkdir(exist_ok=True)
    saved = json.dumps({"version": 1, "events": [event]})
    (lab.work / "clock-memory.json").write_text(saved, encoding="utf-8")


def press(shown: Locator, name: str) -> None:
    shown.get_by_role("button", name=name, exact=True).click()


def actions(lab: LabServer) -> list[str]:
    path = lab.work / "clock-memory.json"
    return [event["action"] for event in lab.answers("clock-memory")["events"]] if path.exists() else []


def timer(shown: Locator) -> Locator:
    return shown.get_by_role("timer")


def test_the_clock_starts_and_ticks_while_the_kernel_is_busy(lab: LabServer, notebook: Notebook) -> None:
    shown = shown_clock(notebook)
    expect(timer(shown)).to_have_text("15:00 left")
    expect(shown).to_contain_text("hard cap: minute 25 of 75")
    expect(shown).to_contain_text("Next: Fail closed")
    notebook.run_cell(1, wait=False)
    notebook.wait_until_busy()
    press(shown, "Start")
    expect_ticks(timer(shown))
    expect(timer(shown)).to_contain_text("14:5")
    assert not (lab.work / "clock-memory.json").exists()  # the kernel has not come to it yet
    lab.make_file("go")
    wait_until(lambda: actions(lab) == ["start"])


def test_pausing_and_moving_on_are_saved_with_what_it_took(lab: LabServer, notebook: Notebook) -> None:
    began(lab, minutes_ago=16)
    shown = shown_clock(notebook)
    press(shown, "Pause")
    expect(shown.get_by_role("button", name="Resume")).to_be_visible()
    press(shown, "We moved on")
    expect(timer(shown)).to_contain_text("took 16:0")
    expect(timer(shown)).to_contain_text("of 15:00")
    expect(shown.get_by_role("button", name="Start again")).to_be_focused()
    wait_until(lambda: actions(lab) == ["start", "pause", "move_on"])


# How long ago the section began, the level it then gets, what is said. The last one turns red while it is looked at.
LEVELS = (
    (1, "calm", ""),
    (13, "amber", "Last fifth of this section: finish the check, leave the rest."),
    (14.97, "red", "Time is up: cut discussion, not the tests. Cut first: the talk about repair"),
)


def test_the_clock_turns_amber_then_red_and_stays_readable_in_both_themes(lab: LabServer, page: LabPage) -> None:
    notebook = page.open(lab.notebook("clock.ipynb", [SHOW] * len(LEVELS)))
    clocks = []
    for index, (minutes_ago, level, says) in enumerate(LEVELS):
        began(lab, minutes_ago)
        clocks.append(shown_clock(notebook, index))
        expect(clocks[-1]).to_have_attribute("data-level", level)
        expect(clocks[-1].get_by_role("status")).to_contain_text(says)
    for theme in ("JupyterLab Light", "JupyterLab Dark"):
        notebook.theme(theme)
        for clock, (_, level, _) in zip(clocks, LEVELS, strict=True):
            assert (theme, level, notebook.contrasts(clock, below=4.5)) == (theme, level, [])


def test_the_clock_is_reached_and_pressed_by_keyboard(lab: LabServer, notebook: Notebook) -> None:
    shown = shown_clock(notebook)
    shown.get_by_role("button", name="Start", exact=True).focus()
    notebook.page.keyboard.press("Space")
    expect(shown.get_by_role("button", name="Pause")).to_be_focused()
    notebook.page.keyboard.press("Tab")
    expect(shown.get_by_role("button", name="We moved on")).to_be_focused()
    notebook.page.keyboard.press("Enter")
    expect(shown.get_by_role("button", name="Start again")).to_be_focused()
    wait_until(lambda: actions(lab) == ["start", "move_on"])
    assert len(notebook.sources()) == 2
    wait_until(
        lambda: ("button", "Start again") in notebook.accessibility_tree()
    )  # the tree follows the page a bit later
    assert "timer" in {role for role, _ in notebook.accessibility_tree()}
