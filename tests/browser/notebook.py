"""The notebook that is open in a JupyterLab page, for the browser tests."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, Page

from tests.waiting import wait_until

_APP = "const app = window.jupyterapp; const panel = app.shell.currentWidget; const context = panel.sessionContext;"
# Looked at again and again, not awaited: of a promise that JupyterLab drops, Chromium says that it was collected.
_READY = """(path) => {
    const panel = window.jupyterapp?.shell.currentWidget, context = panel?.sessionContext;
    return context?.isReady && panel.context.isReady && panel.context.path.endsWith(path) &&
        context.session?.kernel?.status === "idle";
}"""


class Notebook:
    """The open notebook: run it, read it, click in it. Cells and outputs are counted from 0, over all cells; `at` says
    which number a cell of the kit has.
    """

    def __init__(self, page: Page, path: str = "") -> None:
        self.page, self._path = page, path
        self._ready()

    def run_all(self) -> None:
        """Run every cell and wait for the last one. A cell that fails stops the run, as it does for a person."""
        self._do(f"{_APP} await app.commands.execute('notebook:run-all-cells');")

    def run_cell(self, index: int, *, wait: bool = True) -> None:
        """Run one cell; with `wait=False` return while it runs."""
        run = "app.commands.execute('notebook:run-cell')"
        self._do(f"{_APP} panel.content.activeCellIndex = {index}; {'await ' if wait else 'void '}{run};")

    def set_cell(self, index: int, source: str) -> None:
        """Replace the text of one cell, as a student who types an answer."""
        self.page.evaluate(
            f"([index, source]) => {{ {_APP} panel.content.widgets[index].model.sharedModel.setSource(source); }}",
            [index, source],
        )

    def type_cell(self, index: int, source: str) -> None:
        """Put a text into one cell, in place of what is there, and run it with Shift+Enter, as a student does."""
        self.cell(index).locator(".cm-content").click()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(source)
        self.press_run()

    def press_run(self) -> None:
        """Press Shift+Enter: run the active cell and go to the next one. Does not wait."""
        self.page.keyboard.press("Shift+Enter")

    def at(self, cell_id: str) -> int:
        """Return the number of the cell with an id."""
        ids: list[str] = self.page.evaluate(
            f"() => {{ {_APP} return panel.content.widgets.map((cell) => cell.model.id); }}"
        )
        return ids.index(cell_id)

    def cell(self, index: int) -> Locator:
        """Return one cell."""
        return self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell").nth(index)

    def output(self, index: int) -> Locator:
        """Return the outputs of one cell."""
        return self.cell(index).locator(".jp-Cell-outputArea")

    def outputs(self) -> list[dict[str, Any]]:
        """Return the stored outputs of all cells, as nbformat has them, in one list."""
        found: list[dict[str, Any]] = self.page.evaluate(
            f"() => {{ {_APP} return panel.context.model.toJSON().cells.flatMap((cell) => cell.outputs ?? []); }}"
        )
        return found

    def errors(self) -> list[str]:
        """Return name and text of every exception that is shown in the notebook."""
        return [f"{out['ename']}: {out['evalue']}" for out in self.outputs() if out["output_type"] == "error"]

    def sources(self) -> list[str]:
        """Return the text of all cells."""
        found: list[str] = self.page.evaluate(
            f"() => {{ {_APP} return panel.content.widgets.map((cell) => cell.model.sharedModel.getSource()); }}"
        )
        return found

    def active_cell(self) -> int:
        """Return the number of the active cell."""
        return int(self.page.evaluate(f"() => {{ {_APP} return panel.content.activeCellIndex; }}"))

    def busy(self) -> bool:
        """Say whether the kernel works on a cell."""
        return bool(self.page.evaluate(f"() => {{ {_APP} return context.session.kernel.status === 'busy'; }}"))

    def wait_until_busy(self) -> None:
        """Wait until the kernel works on a cell."""
        wait_until(self.busy)

    def wait_until_idle(self) -> None:
        """Wait until the kernel has done everything."""
        wait_until(lambda: not self.busy())

    def accessibility_tree(self) -> list[tuple[str, str]]:
        """Return role and name of every node that the browser tells a screen reader about, in order."""
        session = self.page.context.new_cdp_session(self.page)
        nodes = session.send("Accessibility.getFullAXTree")["nodes"]
        session.detach()
        seen = [node for node in nodes if not node["ignored"]]
        return [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in seen]

    def contrasts(self, area: Locator, *, below: float) -> list[str]:
        """Return every text in `area` whose contrast with what is behind it is below a ratio (WCAG AA asks 4.5)."""
        found: list[str] = area.evaluate(_CONTRASTS, below)
        return found

    def save(self) -> None:
        """Save the notebook."""
        self._do(f"{_APP} await panel.context.save();")

    def reload(self) -> None:
        """Save, and reload the page in the browser; the kernel goes on."""
        self.save()
        self.page.reload()
        self._ready()

    def restart_kernel(self) -> None:
        """Restart the kernel; outputs stay as they are."""
        self._do(f"{_APP} await context.session.kernel.restart();")
        self._ready()

    def theme(self, name: str) -> None:
        """Switch to "JupyterLab Light" or "JupyterLab Dark"."""
        self._do(f"{_APP} await app.commands.execute('apputils:change-theme', {{theme: '{name}'}});")
        self.page.locator(f'body[data-jp-theme-name="{name}"]').wait_for(state="attached")
        self.page.locator("#jupyterlab-splash").wait_for(state="detached")

    def _ready(self) -> None:
        self.page.wait_for_function(_READY, arg=self._path, timeout=60_000)

    def _do(self, script: str) -> None:
        self.page.evaluate(f"async () => {{ {script} }}")


# Colours are painted on a canvas, layer upon layer, and read back: that takes every notation and transparency.
_CONTRASTS = """(area, below) => {
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
    const paint = (colours) => {
        for (const colour of ["white", ...colours]) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
        const light = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3)
            .map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
    };
    const behind = (node) => node ? [...behind(node.parentElement), getComputedStyle(node).backgroundColor] : [];
    const hasText = (node) => node.placeholder || node.value ||
        [...node.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.textContent.trim());
    return [...area.querySelectorAll("*")]
        .filter((node) => hasText(node) && node.checkVisibility() && !node.disabled && node.tagName !== "OPTION")
        .map((node) => {
            const pseudo = node.placeholder && !node.value ? "::placeholder" : null;
            const layers = behind(node);
            const [text, back] = [paint([...layers, getComputedStyle(node, pseudo).color]), paint(layers)];
            const ratio = (Math.max(text, back) + 0.05) / (Math.min(text, back) + 0.05);
            return [ratio, `${ratio.toFixed(1)}: ${node.textContent || node.placeholder}`];
        })
        .filter(([ratio]) => ratio < below).map(([, line]) => line);
}"""
