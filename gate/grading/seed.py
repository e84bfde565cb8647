"""The seed of the hidden inputs: drawn when a class is first graded, or given, and kept beside its grades.

Whoever knows seed and kit can work out every hidden input with its answer. So it is a secret until all is handed in.

Not here: what is made from it (`probes`).
"""

from __future__ import annotations

import json
import secrets
from pathlib import Path

from gate.errors import ConfigError
from gate.files import read_json, write_whole

_MOST = 10**9


def kept_seed(folder: Path, given: int | None = None) -> int:
    """Return the seed that is kept in a folder of grades, drawn and written down if there is none yet.

    One that is given by hand takes the place of the kept one: whoever hands in late is asked what the others were.

    Raises `ConfigError` for a file that holds no seed.

    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> kept_seed(folder) == kept_seed(folder)
    True
    """
    path = folder / "seed.json"
    if given is not None or not path.exists():
        write_whole(path, json.dumps({"seed": secrets.randbelow(_MOST) if given is None else given}) + "\n")
    seed = read_json(path).get("seed")
    if type(seed) is not int or not 0 <= seed <= _MOST:
        raise ConfigError(f"{path}: this is no seed. Next: delete the file, and all is graded with another.")
    return seed
