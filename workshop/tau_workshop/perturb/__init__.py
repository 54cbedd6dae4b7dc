"""Paraphrases of a suite's customers, and the proof that a perturbed task is still the same task."""
