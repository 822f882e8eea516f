"""From a failing command to the smallest one that still shows given errors (CK-3). One file per language."""
