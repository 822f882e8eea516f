"""Search: what is traced, what is tried, and what is offered of it."""
