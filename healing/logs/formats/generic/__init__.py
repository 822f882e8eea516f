"""Formats that aren't specific to a tool: places, code frames, groups of rows, lines that sound like errors, and the
runner's annotations."""
