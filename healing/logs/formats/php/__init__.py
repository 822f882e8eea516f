"""Formats of PHP: the interpreter, tests, analyzers and Composer."""
