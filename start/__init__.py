"""The way in: make `.venv`, open JupyterLab, run the tests.

`commands` calls `environment`, which makes `.venv` ready with `install` (uv or pip, and what went wrong in one line);
`place` knows where it lies and whether it is ready. These run before anything is installed, so they use the standard
library alone. `lab` runs inside `.venv`.

Not here: anything of the gate. Nothing in `gate` imports this folder.
"""
