"""The engine: what a schema says of a value, decided twice over, and told in words. `gate.contract` is the way in."""
