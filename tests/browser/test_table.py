"""The decision table in a real JupyterLab: by mouse, by keyboard alone, in a copy, beside another kernel.

Not here: after a reload and a restart (`test_memory_lab`, in a notebook of the kit).
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from gate.files import HOME
from gate.lab import table
from tests.browser.lab import LabPage, LabServer, Notebook
from tests.browser.table_form import (
    choice,
    expect_answers,
    fill_by_keyboard,
    fill_by_mouse,
    saved_rows,
    status,
)
from tests.waiting import wait_until

SHOW = "from gate.lab import table\nt = table('memory')\nt"
ANSWERS = {
    "row-1": ("allow", "all as agreed"),
    "row-2": ("block", "dd is not on the list"),  # d d deletes a cell when JupyterLab gets to see it
    "row-3": ("block", "xx no default"),
    "row-4": ("block", "zz a text"),
    "row-5": ("block", "aabb no contract"),
    "row-6": ("repair", "00 mm lon"),
}


@pytest.fixture
def notebook(lab: LabServer, page: LabPage) -> Notebook:
    """A notebook with the table shown in its first cell."""
    opened = page.open(lab.notebook("table.ipynb", [SHOW, "t.missing()", "t.choose('row-1', 'allow', 'typed')"]))
    opened.run_cell(0)
    opened.output(0).locator(".gate-table").wait_for()
    return opened


def fill(shown: Locator) -> None:
    fill_by_mouse(shown, ANSWERS)
    expect(status(shown)).to_have_text("6 of 6 rows decided. Saved.")


def test_a_table_filled_by_mouse_is_saved_and_frozen(lab: LabServer, notebook: Notebook) -> None:
    shown = notebook.output(0)
    fill(shown)
    assert saved_rows(lab) == ANSWERS
    shown.get_by_role("button", name="Freeze", exact=True).click()
    expect(status(shown)).to_contain_text("Frozen: ")
    expect(choice(shown, "row-1")).to_be_disabled()
    shown.get_by_role("textbox", name="Reason to unfreeze").fill("lon is no repair")
    shown.get_by_role("button", name="Unfreeze").click()
    expect(choice(shown, "row-6")).to_be_enabled()
    choice(shown, "row-6").select_option("block")
    expect(status(shown)).to_have_text("6 of 6 rows decided. Saved.")
    events = [(event["what"], event["reason"]) for event in lab.answers("table-memory")["history"]]
    assert events == [("freeze", ""), ("unfreeze", "lon is no repair")]
    assert saved_rows(lab)["row-6"] == ("block", "00 mm lon")
    assert notebook.errors() == []


def test_a_table_filled_by_keyboard_alone_leaves_the_notebook_as_it_was(lab: LabServer, notebook: Notebook) -> None:
    shown, keyboard = notebook.output(0), notebook.page.keyboard
    for _ in range(40):
        keyboard.press("Tab")
        if choice(shown, "row-1").evaluate("(field) => field === document.activeElement"):
            break
    fill_by_keyboard(shown, ANSWERS)
    expect(shown.get_by_role("button", name="Freeze", exact=True)).to_be_focused()
    keyboard.press("Space")
    expect(shown.get_by_role("textbox", name="Reason to unfreeze")).to_be_focused()
    assert saved_rows(lab) == ANSWERS
    keyboard.type("dd on second thought")
    keyboard.press("Tab")
    keyboard.press("Enter")
    expect(shown.get_by_role("button", name="Freeze", exact=True)).to_be_focused()
    assert [event["what"] for event in lab.answers("table-memory")["history"]] == ["freeze", "unfreeze"]
    assert notebook.sources() == [SHOW, "t.missing()", "t.choose('row-1', 'allow', 'typed')"]
    assert notebook.active_cell() == 0


def test_choices_are_shown_again_in_a_copy_of_the_notebook(lab: LabServer, page: LabPage, notebook: Notebook) -> None:
    fill(notebook.output(0))
    notebook.save()
    copied = page.open(lab.copy_of("table.ipynb", "copies/my table.ipynb"))
    copied.run_cell(0)
    expect_answers(copied.output(0), ANSWERS)


def test_what_is_chosen_while_the_kernel_is_busy_is_saved_when_it_is_free(lab: LabServer, notebook: Notebook) -> None:
    notebook.set_cell(1, lab.wait_for_file("go"))
    notebook.run_cell(1, wait=False)
    notebook.wait_until_busy()
    shown = notebook.output(0)
    choice(shown, "row-2").select_option("block")
    expect(status(shown)).to_contain_text("Saving")
    expect(status(shown)).to_contain_text("the kernel is busy")
    expect(choice(shown, "row-2")).to_have_value("block")
    lab.make_file("go")
    expect(status(shown)).to_contain_text("Saved.")
    assert saved_rows(lab) == {"row-2": ("block", "")}


def test_the_plain_code_way_shows_in_the_live_table(notebook: Notebook) -> None:
    notebook.run_cell(2)
    expect_answers(notebook.output(0), {"row-1": ("allow", "typed")})


def test_a_table_that_another_kernel_froze_says_so_and_shows_its_rows(
    lab: LabServer, notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATE_WORK", str(lab.work))
    other = table("memory")
    for row in other.rows:
        other.choose(row.id, "block", "theirs")
    other.freeze()
    shown = notebook.output(0)
    choice(shown, "row-1").select_option("allow")
    expect(shown.locator(".gate-notes")).to_contain_text("row-1 is not changed: the table is frozen.")
    expect(choice(shown, "row-1")).to_have_value("block")
    expect(status(shown)).to_contain_text("Frozen: ")


def named(tree: list[tuple[str, str]], role: str) -> list[str]:
    return [name for kind, name in tree if kind == role]


def test_a_screen_reader_finds_every_field_by_name(notebook: Notebook) -> None:
    wait_until(lambda: ("button", "Freeze") in notebook.accessibility_tree())  # the tree follows the page a bit later
    tree = notebook.accessibility_tree()
    rows = [f"row {n}, {row.title}" for n, row in enumerate(table("memory").rows, 1)]
    own = [name for name in named(tree, "combobox") if name != "Cell type"]  # that one is JupyterLab's
    assert own == [f"Choice for {row}" for row in rows]
    assert [name for name in named(tree, "textbox") if name] == [f"Reason for {row}" for row in rows]
    assert {("columnheader", name) for name in ("Row", "Given", "Choice", "Reason")} <= set(tree)
    assert named(tree, "rowheader") == [f"{row.id} {row.title}" for row in table("memory").rows]


def test_text_is_readable_and_focus_is_visible_in_both_themes(notebook: Notebook) -> None:
    shown = notebook.output(0)
    for theme in ("JupyterLab Light", "JupyterLab Dark"):
        notebook.theme(theme)
        assert (theme, notebook.contrasts(shown.locator(".gate-table"), below=4.5)) == (theme, [])
    field = choice(shown, "row-1")
    field.focus()
    notebook.page.keyboard.press("Shift+Tab")
    notebook.page.keyboard.press("Tab")
    expect(field).to_be_focused()
    assert field.evaluate("(field) => getComputedStyle(field).outlineStyle") == "solid"


@pytest.mark.parametrize("name", sorted(path.stem for path in (HOME / "data" / "tables").glob("*.json")))
def test_no_choice_is_cut_off_by_the_arrow_of_its_field(name: str, lab: LabServer, page: LabPage) -> None:
    opened = page.open(lab.notebook("table.ipynb", [f"from gate.lab import table\ntable({name!r})"]))
    opened.run_cell(0)
    field = choice(opened.output(0), "row-1")
    assert field.evaluate(_ROOM) >= 0


# A copy of the field, as wide as its longest choice wants to be, beside the field as it is.
_ROOM = """(field) => {
    const copy = field.cloneNode(true);
    copy.style.cssText = "width: max-content; position: absolute";
    field.parentElement.append(copy);
    const room = field.offsetWidth - copy.offsetWidth;
    copy.remove();
    return room;
}"""
