"""The rules of the brakes and what keeps them. `gate.fence` and `gate.ledger` are the way in."""
