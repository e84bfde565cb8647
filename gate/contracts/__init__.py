"""What a contract lives through after it is loaded: frozen, compared, imported. `gate.registry` loads them."""
