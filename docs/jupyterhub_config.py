"""A JupyterHub for one class: each student gets a JupyterLab with a copy of the kit of their own. See docs/hub.md.

Where it differs from a stock hub: the copy is made at the first start and never written over, and it is found before
the kit that the environment was installed with, so that `gate`, `work/` and the notebooks are the student's own.

Not here: who may come in, and what keeps one student from another. Both are the two marked blocks.
"""

import os
import shutil
from pathlib import Path

c = get_config()  # noqa: F821 - JupyterHub puts it there

KIT = Path(__file__).resolve().parent.parent
HOMES = Path(os.environ.get("GATE_HUB_HOMES") or KIT / ".cache" / "hub" / "homes").absolute()  # gate class HOMES
COPIED = (
    "gate", "notebooks", "schemas", "fixtures", "data", "examples", "labconfig",
    "requirements.txt", "requirements-model.txt", "pyproject.toml", "README.md", "CONTRACT.md", "LICENSE",
)  # fmt: skip
PASSWORD = os.environ.get("GATE_HUB_PASSWORD")
FIRST_NOTEBOOK = "notebooks/memory/01_reproduce_the_leak.ipynb"


def copy_kit(spawner):
    """Make the student's copy of the kit before their first server; later ones find it as it was left."""
    mine = HOMES / spawner.user.name / "gate-lab"
    if mine.exists():
        return
    beside = mine.with_name(".gate-lab")
    shutil.rmtree(beside, ignore_errors=True)  # of a start that was cut short
    beside.mkdir(parents=True)
    for name in COPIED:
        if (KIT / name).is_dir():
            shutil.copytree(KIT / name, beside / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(KIT / name, beside / name)
    beside.rename(mine)


# Who may come in: anybody who knows the class's password, under any name.
if not PASSWORD:
    raise SystemExit("GATE_HUB_PASSWORD is not set. Next: export GATE_HUB_PASSWORD='...', the class's password.")
c.JupyterHub.authenticator_class = "dummy"
c.DummyAuthenticator.password = PASSWORD
c.Authenticator.allow_all = True
c.Authenticator.username_pattern = "[a-z0-9][a-z0-9._-]{0,40}\\Z"  # it names a folder

# What keeps one student from another: nothing but good manners. All servers run as the hub's own system user.
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = str(HOMES / "{username}")
c.Spawner.pre_spawn_hook = copy_kit

c.Spawner.notebook_dir = "~/gate-lab"
c.Spawner.default_url = f"/lab/tree/{FIRST_NOTEBOOK}"
c.Spawner.environment = {
    "PYTHONPATH": lambda spawner: str(HOMES / spawner.user.name / "gate-lab"),
    "JUPYTER_CONFIG_PATH": str(KIT),  # labconfig/: no news pop-up
}
c.Spawner.args = ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []  # as in most containers
c.Spawner.start_timeout = c.Spawner.http_timeout = 300  # a whole class presses Start in the same minute

c.JupyterHub.bind_url = "http://127.0.0.1:8000"
c.JupyterHub.db_url = f"sqlite:///{HOMES.parent / 'jupyterhub.sqlite'}"
c.JupyterHub.cookie_secret_file = str(HOMES.parent / "cookie_secret")
c.ConfigurableHTTPProxy.pid_file = str(HOMES.parent / "proxy.pid")
c.ConfigurableHTTPProxy.command = os.environ.get("GATE_HUB_PROXY", "configurable-http-proxy")
HOMES.mkdir(parents=True, exist_ok=True)
