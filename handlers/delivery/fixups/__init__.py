"""Fixup pull requests: their reviewers, and their life cycle from draft to ready to closed."""
