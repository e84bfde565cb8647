"""The proof: fixtures, replay, scorecard, fuzzing, planted faults, recorded output of a real model."""
