"""The merge queue for agents from outside: newline-delimited JSON over a Unix socket of its owner alone."""
