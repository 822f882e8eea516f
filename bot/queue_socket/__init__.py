"""The merge queue for external agents: newline-delimited JSON over a Unix socket that only its owner can use."""
