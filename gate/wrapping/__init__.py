"""The steps of wrapping a result: redact, cut, blocks. `gate.envelope` is the way in."""
