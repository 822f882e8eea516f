"""CI logs: raw bytes to clean lines, sections and errors; redaction, fingerprints and triage.

`reading.read_log` is the entry point. A tool is one file in `formats/`; everything else here knows no tool by name.
"""
