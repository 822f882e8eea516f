"""Scanners of images and dependencies for known vulnerabilities, as tables: Trivy, Grype, OSV-Scanner; and Snyk's text.

They are warnings: by default these scanners report without failing.
"""

import re

from healing.logs.shapes import Row, shaped
from healing.model import Category, Severity

_ID = r"(?P<code>(?:CVE|GHSA|TEMP|DLA|DSA|RUSTSEC|PYSEC|GO)-[\w-]{3,40})"
_LEVEL = r"(?:CRITICAL|HIGH|MEDIUM|LOW|UNKNOWN|Critical|High|Medium|Low|Negligible|Unknown)"

FORMAT = shaped(
    "scanners",
    (
        "│ CVE-",
        "│ GHSA-",
        "│ TEMP-",
        "│ DSA-",
        "│ DLA-",
        "  CVE-",
        "  GHSA-",
        "osv.dev/",
        "severity vulnerability found",
    ),
    # │ libcrypto3 │ CVE-2024-5535 │ CRITICAL │ fixed │ 3.1.4-r5 │ 3.1.6-r0 │ openssl: … │
    Row(
        tool="trivy",
        line=re.compile(
            rf"│[│ ]{{1,90}}(?P<message>(?:[^│ ][^│]{{0,80}}│ )?{_ID} {{1,40}}(?:│ {_LEVEL} {{1,20}})?│.{{0,300}}?)"
            r"[│ ]{1,200}$"
        ),
        category=Category.SECURITY,
        severity=Severity.WARNING,
    ),
    # openssl  3.0.2  3.0.7  deb  CVE-2022-3602  High
    Row(
        tool="grype",
        line=re.compile(
            r"(?P<message>[\w@./+:-]{1,100} {2,80}\d\S{0,80} {2,80}.{0,120} {2,80}"
            rf"{_ID} {{2,40}}{_LEVEL})\b"
        ),
        category=Category.SECURITY,
        severity=Severity.WARNING,
    ),
    # │ https://osv.dev/GHSA-… │ 9.8 │ npm │ lodash │ 4.17.20 │ package-lock.json │
    Row(
        tool="osv-scanner",
        line=re.compile(
            rf"│ (?P<message>https://osv\.dev/{_ID} {{1,40}}│.{{1,200}}?) {{1,40}}│"
            r" (?P<file>[^\s│]{1,200}) {0,200}│$"
        ),
        category=Category.SECURITY,
        severity=Severity.WARNING,
    ),
    Row(
        tool="snyk",
        line=re.compile(r"\s{0,4}✗ (?P<message>\w{3,8} severity vulnerability found in .{1,200})$"),
        category=Category.SECURITY,
        severity=Severity.WARNING,
    ),
)
