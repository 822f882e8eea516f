"""Documents that were broken off, or written to hurt: something true is said of each, in little time and memory."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from healing.logs.documents.found import Documents
from healing.logs.documents.node import vocabulary
from healing.logs.format import Finding
from healing.logs.lines import blocks
from healing.logs.paths import Paths
from healing.logs.reading import read_log
from healing.logs.scan import Scan
from tests.logs.documents.samples import SAMPLES


def looked_at(*pieces: bytes) -> Documents:
    documents = Documents(Paths())
    scan = Scan((), Paths(), documents)
    for block in blocks(pieces):
        assert list(scan.read(block)) == []
    assert list(scan.close()) == []
    return documents


def key(finding: Finding) -> tuple[object, ...]:
    return finding.file, finding.line, finding.code, finding.test


# EX-9
@pytest.mark.parametrize("path", [path for path in SAMPLES if path.suffix != ".jsonl"], ids=lambda path: path.name)
def test_of_a_report_broken_off_anywhere_a_part_is_read_or_the_reason_told(path: Path) -> None:
    raw = path.read_bytes().rstrip()
    whole = {key(finding) for finding in looked_at(raw).findings}
    for end in range(1, len(raw), max(1, len(raw) // 25)):
        part = looked_at(raw[:end])
        assert {key(finding) for finding in part.findings} <= whole
        assert part.problem or part.findings or end < 60


# EX-9
def test_a_broken_off_report_gives_what_was_whole_and_says_where_it_broke_off() -> None:
    items = [{"file": f"src/{n}.py", "line": n, "severity": "error", "message": f"wrong {n}"} for n in range(1, 9)]
    raw = json.dumps({"issues": items}, indent=1).encode()
    report = read_log(b"$ lint --json\n" + raw[: raw.index(b'"wrong 6"')] + b"\nKilled\n")
    assert [error.line for error in report.errors if error.file] == [1, 2, 3, 4, 5]
    assert report.problem.startswith("partly read: the document in line 2: it breaks off in line ")


@pytest.mark.parametrize(
    ("log", "problem"),
    [
        (
            b'<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY b "x"><!ENTITY c "&b;&b;">]>\n<a>&c;</a>\n',
            "declares entities",
        ),
        (
            b'<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>\n<a>&b;</a>\n',
            "declares entities",
        ),
        (b'<?xml version="1.0"?>\n' + b"<a>" * 100_000, "nests too deeply"),
        (b"[" * 1_000_000, "too deeply nested"),
        (b'{"a":' * 10_000, "too deeply nested"),
        (b"[" + b"{}," * 400_000, "too large"),
    ],
    ids=["bomb", "outside", "deep xml", "deep list", "deep object", "many"],
)
def test_an_attack_is_refused_by_name(log: bytes, problem: str) -> None:
    assert problem in looked_at(log).problem


@pytest.mark.parametrize(
    "log",
    [
        b'{"a": "' + b'\\"' * 1_000_000,
        b'{"a": ' + b'"' * 500_001,
        b'[\n{\n"a\n' * 50_000,
        b"[\n" * 200_000,
        b"<results >\n" * 50_000,
        b'<?xml version="1.0"?>\n<a>\n' * 50_000,
        b'{"level":"info","path":"/a/b","msg":"served","line":1}\n' * 50_000,
        b'{"file": "' + b"a" * 1_000_000 + b'", "line": 1, "message": "x"}',
        b'{"x":' * 90 + b"{}" + b"}" * 90,
    ],
    ids=["escapes", "quotes", "openers", "brackets", "roots", "declarations", "objects", "long path", "nested"],
)
def test_no_input_makes_it_slow(log: bytes) -> None:
    begun = time.process_time()
    looked_at(log)
    assert time.process_time() - begun < 15  # seconds on a loaded machine; quadratic would be minutes


_FIELDS = (
    "file path line location start end message severity code rule results errors tests status name failure runs tool "
    "artifact vulnerability id fix range character testcase messages locations physicalLocation region startLine"
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(sorted(vocabulary(_FIELDS))) | st.text(max_size=8),
            inner,
            max_size=6,
        )
    ),
    max_leaves=40,
)


@settings(max_examples=200, deadline=None)
@given(values)
def test_no_json_makes_it_raise(value: object) -> None:
    read_log(json.dumps(value).encode())
    read_log(json.dumps([value], indent=1).encode())
    read_log(b"log\n" + json.dumps({"results": value, "version": "2.1.0", "runs": [value]}).encode())


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(SAMPLES), st.data())
def test_no_damage_to_a_report_makes_it_raise(path: Path, data: st.DataObject) -> None:
    raw = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at : at + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=4))
    read_log(bytes(raw) or b" ")


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, 200), max_size=12))
def test_pieces_of_any_size_tell_the_same(sizes: list[int]) -> None:
    raw = b"noise\n" + next(path for path in SAMPLES if path.name == "surefire.xml").read_bytes()
    pieces, at = [], 0
    for size in sizes:
        pieces.append(raw[at : at + size])
        at += size
    documents = looked_at(*pieces, raw[at:])
    assert [key(finding) for finding in documents.findings] == [key(finding) for finding in looked_at(raw).findings]


def test_the_line_that_breaks_a_report_off_takes_nothing_with_it() -> None:
    items = [{"file": "src/a.py", "line": n, "severity": "error", "message": f"wrong {n}"} for n in range(1, 4)]
    raw = json.dumps(items, indent=1).encode().removesuffix(b"\n]")
    for strange in (b"\n##[error]Process completed with exit code 1.\n", b"\nKilled } ]\n"):
        assert [error.line for error in read_log(raw + strange).errors if error.file] == [1, 2, 3]
