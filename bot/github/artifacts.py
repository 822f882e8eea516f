"""Report files in a workflow run's artifacts: selects the artifacts to fetch and unpacks them within limits.

Archives are untrusted: they are read in memory, and nothing of them is ever written to disk.
"""

import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from healing.failed_jobs import ReportFile

MAX_ARTIFACTS = 10
MAX_PACKED = 20 << 20  # bytes of one artifact as GitHub stores it
MAX_UNPACKED = 100 << 20  # bytes of all files read from one artifact
MAX_FILES = 2_000  # examined per archive
SMALL = 1 << 20  # bytes: an artifact with an unspecific name is fetched only up to this size
HEAD = 4_096
_NAMED = re.compile(r"junit|test|spec|report|result|sarif|xunit|nunit|trx|surefire|lint|scan|check", re.IGNORECASE)
_XML = re.compile(rb"<(?:testsuites?|testcase|test-run|test-results|assemblies|TestRun|checkstyle)[\s>/]")
_SARIF = re.compile(rb'sarif|"runs"\s*:', re.IGNORECASE)
_ENCODED = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Artifact:
    """One artifact as GitHub lists it; `size` is its packed size in bytes."""

    id: int
    name: str
    size: int


def chosen(listed: Iterable[dict[str, Any]]) -> tuple[Artifact, ...]:
    """Selects the artifacts that may hold reports: first those with a matching name, then small ones."""
    alive = [Artifact(a["id"], str(a["name"]), int(a["size_in_bytes"])) for a in listed if not a.get("expired")]
    named = [artifact for artifact in alive if _NAMED.search(artifact.name)]
    small = [artifact for artifact in alive if artifact not in named and artifact.size <= SMALL]
    return (*named, *small)[:MAX_ARTIFACTS]


def unpacked(name: str, data: bytes) -> tuple[ReportFile, ...]:
    """Returns the files of an artifact that look like reports. Never raises: for an archive that can't be read
    completely, the result includes a file with the problem."""
    if not data.startswith(b"PK"):  # stored without an archive
        return (ReportFile(name, data),) if looks_like_report(name, data[:HEAD]) else ()
    files: list[ReportFile] = []
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            for file in _files(name, archive):
                files.append(file)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError, NotImplementedError) as error:
        files.append(
            ReportFile(name, problem=f"its archive can't be read ({type(error).__name__}: {str(error)[:200]})")
        )
    return tuple(files)


def _files(name: str, archive: zipfile.ZipFile) -> Iterator[ReportFile]:
    left = MAX_UNPACKED
    inside = [info for info in archive.infolist() if not info.is_dir()]
    if len(inside) > MAX_FILES:
        yield ReportFile(name, problem=f"it holds {len(inside)} files; only {MAX_FILES} were read")
    for info in inside[:MAX_FILES]:
        if not info.filename.lower().endswith((".xml", ".sarif", ".json", ".trx")):
            continue
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or info.flag_bits & 1:
            continue
        with archive.open(info) as file:
            head = file.read(HEAD)
            if not looks_like_report(info.filename, head):
                continue
            data = head + file.read(max(left - len(head), 0) + 1)  # sizes stated in the archive can't be trusted
        if len(data) > left:
            yield ReportFile(name, problem=f"it unpacks to more than {MAX_UNPACKED >> 20} MB; the rest was not read")
            return
        left -= len(data)
        yield ReportFile(f"{name}/{info.filename}", data)


def looks_like_report(name: str, head: bytes) -> bool:
    """Whether a file is an XML report or SARIF, judged by its beginning."""
    if head.startswith(_ENCODED):
        head = head[2:].replace(b"\0", b"")
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text.startswith(b"<"):
        return bool(_XML.search(text))
    return text.startswith(b"{") and (name.lower().endswith(".sarif") or bool(_SARIF.search(text)))
