"""What an operator looks at: logs, traces, readiness, `heal doctor`."""
