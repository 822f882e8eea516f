"""Proof by the repository's own CI, where nothing can be run here."""
