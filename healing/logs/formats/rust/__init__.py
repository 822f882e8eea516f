"""Rust: the compiler, cargo, its tests and linters."""
