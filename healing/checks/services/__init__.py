"""Replacements for a job's service containers: the same program, started beside the check in its sandbox. One file per
product."""
