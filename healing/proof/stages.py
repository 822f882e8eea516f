"""In which order compilers look at code: what a later look finds was hidden while an earlier one stopped (judging)."""

import posixpath
import re
from collections.abc import Iterable

from healing.model import Category, CIError

RUST = {"rustc", "clippy", "cargo"}
GO_BUILD, GO_LATER = {"go", "go-test"}, {"go vet", "staticcheck", "golangci-lint"}
TESTS = {"go-test": GO_BUILD, "cargo-test": RUST}  # whose tests run only when these were content
# The compiler's passes by its error codes (doc.rust-lang.org/error_codes): names, then types, then borrows, then lints.
NAMES = re.compile(r"E0(?:40[4578]|411|412|42[2-58-9]|43[0-578]|53[12]|57[3-6]|583)\Z")
BORROWS = re.compile(r"E0(?:373|38[124]|499|50[0-9]|510|515|521|59[467]|71[236])\Z")
SYNTAX, NAME, TYPE, BORROW, LINT = range(5)


def hidden_by(error: CIError, before: Iterable[CIError]) -> bool:
    """Whether one of the errors of before stopped the compiler earlier than where it finds this one."""
    if error.test:
        compilers = TESTS.get(error.tool, set())
        return any(b.tool in compilers and not b.test for b in before)
    if error.tool in RUST:
        return any(b.tool in RUST and _pass(b) < _pass(error) for b in before)
    if error.tool in GO_BUILD:
        return any(b.tool in GO_BUILD and not b.test and _package(b) != _package(error) for b in before)
    return error.tool in GO_LATER and any(b.tool in GO_BUILD and not b.test for b in before)


def _pass(error: CIError) -> int:
    """Which of Rust's passes finds an error."""
    code = error.code or ""
    if error.category is Category.SYNTAX:
        return SYNTAX
    if error.category is Category.LINT or error.tool == "clippy":
        return LINT
    return NAME if NAMES.match(code) else BORROW if BORROWS.match(code) else TYPE


def _package(error: CIError) -> str:
    """A package of Go is a folder; one that doesn't build hides the errors of those that import it."""
    return posixpath.dirname(error.file or "")
