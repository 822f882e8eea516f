"""Narrows a failing command to the smallest one that still shows the given errors. One file per language."""
