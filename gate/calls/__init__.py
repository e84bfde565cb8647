"""The steps of one call and of one turn. `gate.harness` and `gate.loop` are the way in."""
