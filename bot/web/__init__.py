"""Heal's HTTP endpoints and pages."""
