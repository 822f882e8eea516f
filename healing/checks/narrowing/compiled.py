"""Narrows go test, go vet and cargo test by the names and packages of the tests."""

import re

from healing.checks.narrowing.words import files_of, options, tests_of
from healing.model import CIError

Errors = tuple[CIError, ...]
GO = {
    "-timeout", "-tags", "-p", "-coverprofile", "-count", "-cpu", "-parallel", "-covermode", "-coverpkg", "-ldflags",
    "-gcflags", "-mod", "-exec", "-o", "-shuffle", "-vet", "-C", "-asmflags", "-run", "-skip", "-bench", "-modfile",
}  # fmt: skip
GO_CHOICES = {"-run", "-skip", "-bench", "-coverprofile", "-coverpkg"}
GO_TEST = re.compile(r"(?P<package>[\w./~-]{1,300})\.(?P<name>(?:Test|Example|Fuzz)\w{0,200})(?:/.{0,400})?\Z")
CARGO = {
    "-p", "--package", "--exclude", "-j", "--jobs", "--features", "-F", "--target", "--target-dir", "--manifest-path",
    "--profile", "--color", "--config", "--bin", "--test", "--example", "--bench", "--message-format", "-Z",
}  # fmt: skip


def go(args: list[str], errors: Errors) -> list[str] | None:
    """`go test` of the errors' test functions, or `go vet` of their packages."""
    if args[:1] == ["vet"]:
        files = files_of(errors)
        packages = sorted({f"./{file.rpartition('/')[0]}" for file in files or ()})
        return ["vet", *options(args[1:], GO), *packages] if files and "-C" not in args else None
    if args[:1] != ["test"] or "-args" in args or "--args" in args:
        return None
    matches = [GO_TEST.match(error.test or "") for error in errors]
    if not matches or len(matches) > 50 or not all(matches):
        return None
    names = "|".join(sorted({match["name"] for match in matches if match}))
    packages = sorted({match["package"] for match in matches if match})
    return ["test", *options(args[1:], GO, without=GO_CHOICES), "-run", f"^({names})$", *packages]


def cargo(args: list[str], errors: Errors) -> list[str] | None:
    """`cargo test` of the errors' tests by their exact names."""
    tests = tests_of(errors)
    command = args[:2] if args and args[0].startswith("+") else args[:1]
    if tests is None or command[-1:] not in (["test"], ["t"]) or any(test.startswith("-") for test in tests):
        return None
    separator = args.index("--") if "--" in args else len(args)
    after = [arg for arg in args[separator + 1 :] if arg.startswith("-") and arg != "--exact"]
    return [*command, *options(args[len(command) : separator], CARGO), "--", *after, "--exact", *tests]
