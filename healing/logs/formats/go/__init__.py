"""Go: the compiler, its tests, linters and modules."""
