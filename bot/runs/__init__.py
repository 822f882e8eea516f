"""One run on this machine: its tools, trees, logs, models, and trials in the repository's CI; recorded, replayed."""
