"""The engine: takes a failing repository and returns proven proposals. It depends on no GitHub, web or database
code."""
