"""Heal in numbers, for Prometheus: what is counted, what is looked up, and its text form."""
