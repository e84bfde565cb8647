"""The way in: make `.venv`, open JupyterLab, run the tests.

`commands` calls `environment` (the `.venv` and its stamp), which calls `install` (uv or pip, and what went wrong in one
line). These run before anything is installed, so they use the standard library alone. `lab` runs inside `.venv`.

Not here: anything of the gate. Nothing in `gate` imports this folder.
"""
