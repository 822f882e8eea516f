"""Verifies edits before they are offered: the verifier and its rules. Every verdict is computed from bytes and exit
codes."""
