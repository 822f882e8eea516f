"""Crash-safe processing: the inbox, the durable engine, and the work that it does."""
