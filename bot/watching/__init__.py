"""Monitoring for operators: logs, readiness, `heal doctor`."""
