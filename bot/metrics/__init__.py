"""Heal in numbers, for Prometheus (OP-5): what is counted, what is looked up, and its text form."""
