"""Fixup pull requests: what they hold, and their life from draft to ready to closed."""
