"""The grader: submissions in, grades out, and nothing that a submission says is believed. The words are in `words`."""
