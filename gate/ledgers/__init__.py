"""Where a ledger is kept: a SQLite file, or memory for a first try. `gate.ledger` says what each must do."""
