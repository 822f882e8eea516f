"""The engine: a failing repository in, proven proposals out. Knows no GitHub, no web and no database."""
