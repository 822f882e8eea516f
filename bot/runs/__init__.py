"""Executes runs on this machine: tools, trees, logs, models and trial runs in CI; also records and replays them."""
