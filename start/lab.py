"""JupyterLab on one notebook, its address in one line. Runs inside `.venv`: `python -m start.lab NOTEBOOK [OPTIONS]`.

The server's folder is the kit's folder. Its page settings lie in `labconfig/`, its layout in `.cache/`, so that nothing
of a person's other JupyterLab work is shown here or changed.

Where there is a screen, a browser is opened. Each option that is given takes the place of the kit's own.

Not here: when the environment is made (`commands`).
"""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode, urlsplit

from start.browser import has_display
from start.place import CACHE, ROOT

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp

LOG = CACHE / "lab.log"
_SAME = {"--no-browser": "--ServerApp.open_browser", "--allow-root": "--ServerApp.allow_root"}


def address(server: ServerApp) -> str:
    """Return the address of a server that listens, with the port that it really got and its token."""
    token = server.identity_provider.token
    return urlsplit(server.public_url)._replace(query=urlencode({"token": token}) if token else "").geturl()


def announce(server: ServerApp) -> None:
    """Print the address of a server that listens now; what it and its kernels report from here on goes to the log."""
    CACHE.mkdir(exist_ok=True)
    with LOG.open("a", encoding="utf-8") as log:
        print(f"JupyterLab is at {address(server)} (Ctrl-C stops it; log: {LOG})", flush=True)
        os.dup2(log.fileno(), 2)


def running() -> list[str]:
    """Return the addresses of the servers that run already in the kit's folder."""
    from jupyter_server.serverapp import list_running_servers

    found = [server for server in list_running_servers() if Path(server["root_dir"]) == ROOT]
    return [f"{server['url']}lab?{urlencode({'token': server['token']})}" for server in found]


def start(notebook: str, options: list[str]) -> ServerApp:
    """Return the server, ready to run. A port that is taken is left alone: the next free one is used."""
    from jupyterlab.labapp import LabApp

    others = os.environ.get("JUPYTER_CONFIG_PATH")
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join([str(ROOT), others] if others else [str(ROOT)])
    os.environ.setdefault("JUPYTER_TOKEN", secrets.token_hex(24))
    settings = [
        f"--ServerApp.root_dir={ROOT}",
        f"--LabApp.default_url=/lab/tree/{quote(notebook)}",
        f"--LabApp.workspaces_dir={CACHE / 'workspaces'}",
        "--ServerApp.answer_yes=True",  # one Ctrl-C is enough; notebooks are saved as one works
        f"--ServerApp.allow_root={hasattr(os, 'geteuid') and os.geteuid() == 0}",  # as in most containers
        "--Application.log_level=ERROR",
    ]
    if not has_display():
        settings.append("--ServerApp.open_browser=False")
    server: ServerApp = LabApp.initialize_server(argv=[*without(settings, options), *options])
    return server


def without(settings: list[str], options: list[str]) -> list[str]:
    """Return the settings that no option gives anew: JupyterLab takes one value of each, and refuses to start with two.

    >>> without(["--A.b=1", "--A.c=2"], ["--A.b=3"])
    ['--A.c=2']
    """
    given = {_SAME.get(option, option).split("=")[0] for option in options}
    return [setting for setting in settings if setting.split("=")[0] not in given]


def main(notebook: str, options: list[str]) -> int:
    """Serve until stopped. Returns 2, with one line saying why, if it cannot."""
    try:
        for address_there in running():
            print(f"A lab runs here already, at {address_there}: both write to the same work/ folder.", flush=True)
        server = start(notebook, options)
    except ImportError as error:
        print(f"The .venv is damaged ({error}). Next: delete the folder .venv and run it again.", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("JupyterLab was stopped before it began.")
        return 130
    except OSError as error:
        print(f"JupyterLab cannot start here ({error}). Next: mend that and run it again.", file=sys.stderr)
        return 2
    server.io_loop.add_callback(announce, server)  # runs after the server's own callback has bound the port
    server.start()
    print("JupyterLab has stopped.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
