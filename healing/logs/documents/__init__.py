"""Reports that tools write as documents (JSON, JSON lines, XML), alone or printed into a log.

`found.py` is the entry point. A tool's way of writing is a row in `dialects.py`; families with a shape of their
own (SARIF, tests, duplicates…) have a file each; everything else is read by its field names (`generic.py`).
"""
