"""Figures, each one command: `python -m benchmarks NAME [--json]`. Ratios to a peer that runs in the same call."""
