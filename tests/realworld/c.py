"""C: a source package of Debian's with gcc's warnings as errors, clang-format and its own tests."""

import re
from pathlib import Path

from tests.realworld.fetching import debian_source
from tests.realworld.language import Language, Seen, Step
from tests.realworld.projects import Files, Project
from tests.realworld.texts import TEXT, Grammar, slips_of

FOUND = re.compile(
    r"^(?P<file>[\w./-]+\.[ch]):\d+:\d+: (?:fatal )?error: .*?(?:\[-Werror=?(?P<code>[\w-]*)[^\]]*\])?$", re.M
)
RESULT = re.compile(r"^(?:[\w./-]+/)?(?P<file>\w+\.c):\d+:(?P<name>\w+):(?P<how>PASS|FAIL)", re.M)
TESTS = "misc_tests cjson_add parse_examples parse_number parse_string print_number print_string print_object"
MAKEFILE = f"""CFLAGS = -std=c99 -Wall -Wextra -Werror
TESTS = {TESTS}

build:
\t$(CC) $(CFLAGS) -c cJSON.c -o cJSON.o

check:
\tfor test in $(TESTS); do \\
\t\t$(CC) -std=c99 -I. -Itests/unity/src -DUNITY_EXCLUDE_SETJMP_H tests/$$test.c tests/unity/src/unity.c \\
\t\t-o tests/$$test.out -lm && (cd tests && ./$$test.out) || exit 1; \\
\tdone
"""


def _build(seen: Seen, output: str, root: Path) -> None:
    seen.findings.update(("Build", match["file"], match["code"] or "") for match in FOUND.finditer(output))


def _form(seen: Seen, output: str, root: Path) -> None:
    seen.findings.update(("Format", match["file"], "") for match in FOUND.finditer(output))


def _check(seen: Seen, output: str, root: Path) -> None:
    for match in RESULT.finditer(output):
        (seen.passed if match["how"] == "PASS" else seen.failed).add(f"{match['file']}::{match['name']}")


C = Language(
    name="C",
    sources=re.compile(r"^cJSON\.[ch]$"),
    tests=re.compile(r"^tests/"),
    steps={
        "Build": Step(_build, tool="gcc"),
        "Format": Step(_form, tool="clang-format"),
        "Check": Step(_check),
    },
    makers=slips_of(
        Grammar(
            functions=r"^(?:static )?[\w ]+\*? ?(?P<name>\w+)\([^;\n]*\) \{$",
            unused="  int leftover = 1;",
            imports=r"^#include <\w+\.h>\n",
            spare="#include <ctype.h>\n",
            strings=rf"{TEXT}|'(?:\\.|[^'\\\n])'",
        )
    ),
    version=("gcc", "-dumpfullversion"),
)


def _cjson() -> Files:
    kept = debian_source("cjson", "1.7.15", "5308fd4bd90cef7aa060558514de6a1a4a0819974a26e6ed13973c5f624c24b2")
    wanted = re.compile(r"^cJSON\.[ch]$|^tests/(inputs/|unity/(src|examples)/|common\.h|\w+\.c$)")
    kept = {path: data for path, data in kept.items() if wanted.match(path)}
    return {**kept, "Makefile": MAKEFILE.encode(), ".gitignore": b"*.o\n*.out\n"}


CJSON = Project(
    name="cjson",
    version="1.7.15",
    language=C,
    fetch=_cjson,
    jobs={
        "lint": {"Build": "make -s build", "Format": "clang-format --dry-run -Werror cJSON.c"},
        "tests": {"Check": "make -s check"},
    },
    mend="clang-format -i cJSON.c",
    without=("unused-import", "type-error"),  # a compiler doesn't mind the one, and hardly the other
)
PROJECTS = (CJSON,)
