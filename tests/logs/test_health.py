"""A log that is no plain text is called so, with a reason, and what was readable is read nevertheless."""

import gzip
import io
import time
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.logs.health import Health
from healing.logs.reading import read_log

LINE = b"a.py:3:1: F401 `os` imported but unused\n"
LOG = LINE * 4_000


def looked(log: bytes, size: int = 1000) -> tuple[Health, bytes]:
    """The log handed over in pieces: what was thought of it, and the bytes that came through."""
    health = Health()
    through = b"".join(health.watch(log[at : at + size] for at in range(0, len(log), size)))
    return health, through


def zipped(*logs: bytes, stored: bool = False) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED) as file:
        for number, log in enumerate(logs):
            file.writestr(f"{number}_build.txt", log)
    return buffer.getvalue()


# EX-9
@pytest.mark.parametrize("stored", [True, False])
def test_a_whole_zip_is_unpacked_and_said_to_be_one(stored: bool) -> None:
    health, through = looked(zipped(LOG, LINE, stored=stored))
    assert through == LOG + b"\n" + LINE + b"\n"
    assert health.unreadable() == "binary: a zip archive, not a log; 2 files in it could be unpacked"


# EX-9
def test_of_a_zip_that_breaks_off_the_front_is_read() -> None:
    whole = zipped(LINE, bytes(range(32, 127)) * 30 + LOG, stored=True)
    health, through = looked(whole[: len(whole) // 2])
    assert through.startswith(LINE)
    assert "breaks off in its file number 2" in health.unreadable()


# EX-9
@pytest.mark.parametrize(
    "wrapped",
    [zipped(LINE), gzip.compress(LINE, mtime=0), LINE.decode().encode("utf-16")],
    ids=["zip", "gzip", "utf-16"],
)
def test_pieces_may_be_of_any_size(wrapped: bytes) -> None:
    assert {looked(wrapped, size)[1].strip() for size in (1, 7, 10_000)} == {LINE.strip()}


# EX-9
def test_gzip_is_unpacked_as_far_as_it_goes() -> None:
    packed = gzip.compress(LOG + b"%d" % time.time_ns(), 1)
    assert looked(packed)[1].startswith(LOG)
    health, through = looked(packed[:-12])
    assert through.startswith(LINE)
    assert health.unreadable().startswith("binary: gzip data, not a log; it breaks off after")


# EX-9
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_is_read_and_said_to_be_it(encoding: str) -> None:
    health, through = looked((LINE.decode() + "日本\n").encode(encoding))
    assert through.decode().lstrip("\ufeff") == LINE.decode() + "日本\n"
    assert health.unreadable() == "undecodable as UTF-8: this is UTF-16; it was read as such"


# EX-9
@pytest.mark.parametrize(
    "page",
    [
        b"<!DOCTYPE html>\n<html><head><title>Sign in to GitHub</title></head><body></body></html>",
        b"\n  <html lang=en><TITLE>Sign in\n to GitHub</TITLE>",
    ],
)
def test_a_web_page_is_named_with_its_title(page: bytes) -> None:
    assert looked(page)[0].unreadable().startswith("html: a web page (“Sign in to GitHub”), not a log")


# EX-9
@pytest.mark.parametrize(
    ("log", "reason"),
    [
        (LINE * 9 + b"\0\0", "damaged: it holds NUL bytes"),
        (b"x" * 3_000_000 + b"\n" + LINE, "cut: of a line of more than 2 MB"),
        (b"2026-01-05T10:00:00.1234567Z " + LINE[:-1], "truncated: the last line has no end"),
        (LINE + b"...log truncated...\n", "truncated: the log says so itself"),
        (LINE[:-1], ""),
        (b"[" + b"1," * 2_000_000 + b"1]\n", ""),
        (LOG, ""),
    ],
)
def test_what_may_be_missing_of_a_readable_log_is_reported(log: bytes, reason: str) -> None:
    health, through = looked(log, 1 << 20)
    assert through == log
    assert health.unreadable() == ""
    assert health.problem().startswith(reason)
    assert bool(health.problem()) == bool(reason)


# EX-9
def test_a_line_of_a_hundred_megabytes_is_cut_and_what_follows_it_is_read() -> None:
    report = read_log((b"x" * (1 << 20) if n < 100 else b"\n" + LINE) for n in range(101))
    assert [(e.file, e.line) for e in report.errors] == [("a.py", 3)]
    assert report.problem == "cut: of a line of more than 100 MB only the beginning was read"


# EX-9
def test_a_bomb_is_no_log() -> None:
    packed = gzip.compress(gzip.compress(bytes(50_000_000)))
    began = time.process_time()
    looked(packed)
    assert time.process_time() - began < 5


# EX-9
@given(st.sampled_from([zipped(LINE, LOG), gzip.compress(LOG, mtime=0), LOG.decode().encode("utf-16")]), st.data())
def test_damage_anywhere_never_raises(whole: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(whole) - 1))
    damaged = whole[:at] + data.draw(st.binary(max_size=9)) + whole[at + data.draw(st.integers(0, 9)) :]
    health, _ = looked(damaged)
    assert isinstance(health.unreadable() + health.problem(), str)
