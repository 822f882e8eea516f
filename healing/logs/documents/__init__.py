"""Reads reports that tools write as documents (JSON, JSON lines, XML), by themselves or printed into a log.

`found.py` is the entry point. Each known tool is a row in `dialects.py`; report types with their own structure (SARIF,
tests, duplicates…) have a file each; everything else is read by its field names (`generic.py`).
"""
