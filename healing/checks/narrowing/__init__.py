"""From a failing command to the smallest one that still shows given errors. One file per language."""
