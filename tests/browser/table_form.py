"""The parts of a decision table in the page, for the browser tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playwright.sync_api import Locator, expect

from tests.browser.lab import LabServer


def choice(shown: Locator, row: str) -> Locator:
    """Return the field with the choice of a row."""
    return shown.locator(f'tr[data-row="{row}"]').get_by_role("combobox")


def reason(shown: Locator, row: str) -> Locator:
    """Return the field with the reason of a row."""
    return shown.locator(f'tr[data-row="{row}"]').get_by_role("textbox")


def status(shown: Locator) -> Locator:
    """Return the line below the table."""
    return shown.locator(".gate-status")


def fill_by_mouse(shown: Locator, answers: Mapping[str, tuple[str, str]]) -> None:
    """Choose and give the reason, row by row."""
    for row, (chosen, why) in answers.items():
        choice(shown, row).select_option(chosen)
        reason(shown, row).click()
        reason(shown, row).fill(why)


def fill_by_keyboard(shown: Locator, answers: Mapping[str, tuple[str, str]]) -> None:
    """Choose and give the reason by keys alone, row by row, from the first row's choice to what follows the last."""
    keyboard = shown.page.keyboard
    for row, (chosen, why) in answers.items():
        expect(choice(shown, row)).to_be_focused()
        for _ in range(["", "allow", "repair", "block"].index(chosen)):
            keyboard.press("ArrowDown")
        keyboard.press("Tab")
        keyboard.type(why)
        keyboard.press("Tab")


def expect_answers(shown: Locator, answers: Mapping[str, tuple[str, str]]) -> None:
    """Wait until the table shows these choices and reasons."""
    for row, (chosen, why) in answers.items():
        expect(choice(shown, row)).to_have_value(chosen)
        expect(reason(shown, row)).to_have_value(why)


def saved_rows(lab: LabServer) -> dict[str, tuple[str, str]]:
    """Return choice and reason of each row as they are saved."""
    rows: dict[str, Any] = lab.answers("table-memory")["rows"]
    return {name: (row["choice"], row["reason"]) for name, row in rows.items()}
