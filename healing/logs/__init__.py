"""Reads CI logs: from raw bytes to clean lines, sections and errors; redaction, fingerprints and triage.

`reading.read_log` is the entry point. Each tool has one file in `formats/`; everything else here is independent of
tools.
"""
