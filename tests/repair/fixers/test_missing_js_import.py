"""A name that a file of JavaScript uses without importing it."""

# ruff: noqa: E501  (files in a line each)

import pytest

from tests.repair.fixers.repos import Broken

CJS = "const isErr = 1\nconst getCause = 2\nmodule.exports = { isErr, getCause }\n"
ESM = "export const isErr = 1;\nexport function getCause() {}\nconst third = 3;\nexport { third };\n"


def imported(files: dict[str, str], name: str, before: dict[str, str] | None = None) -> list[dict[str, str]]:
    """What is proposed where the first of the files uses an undefined name."""
    file = next(iter(files))
    broken = Broken(files, {**files, **before} if before else None)
    broken.said(f"ReferenceError: {name} is not defined", (file, 1))
    return [broken.after(one) for one in broken.candidates() if one.source == "fixer:missing_js_import"]


# AF-3
@pytest.mark.parametrize(
    ("was", "home", "exports", "name", "now"),
    [
        ("const { isErr } = require('./err')\n\ngetCause()\n", "lib/err.js", CJS, "getCause", "const { isErr, getCause } = require('./err')\n\ngetCause()\n"),
        ("const {\n  isErr,\n} = require('./err')\n\ngetCause()\n", "lib/err.js", CJS, "getCause", "const {\n  isErr,\n  getCause,\n} = require('./err')\n\ngetCause()\n"),
        ("const a = require('../a')\n\nisErr()\n", "lib/err.js", CJS, "isErr", "const a = require('../a')\nconst { isErr } = require('./err')\n\nisErr()\n"),
        ("'use strict'\n\nisErr()\n", "err.js", "exports.isErr = 1\n", "isErr", "'use strict'\n\nconst { isErr } = require('../err')\n\nisErr()\n"),
        ('import { one } from "./other.js";\n\nisErr();\n', "lib/err.js", ESM, "isErr", 'import { one } from "./other.js";\nimport { isErr } from "./err.js";\n\nisErr();\n'),
        ("import { getCause } from './err.js';\n\nthird;\n", "lib/err.js", ESM, "third", "import { getCause, third } from './err.js';\n\nthird;\n"),
    ],
)  # fmt: skip
def test_it_is_imported_from_the_one_file_that_exports_it(
    was: str, home: str, exports: str, name: str, now: str
) -> None:
    assert imported({"lib/a.js": was, home: exports}, name) == [{"lib/a.js": now}]


# AF-3
@pytest.mark.parametrize(
    ("files", "before"),
    [
        (
            {"lib/a.js": "isErr()\n", "lib/err.js": CJS, "lib/other.js": "exports.isErr = 1\n"},
            None,
        ),  # which of the two?
        ({"lib/a.js": "isErr()\n", "lib/err.js": "const isErr = 1\n"}, None),  # it is nobody's
        ({"lib/a.js": "isErr()\n", "test/err.test.js": CJS}, None),
        ({"lib/a.js": "x.isErr()\n", "lib/err.js": CJS}, None),  # a member of something
        ({"lib/a.js": "isErr()\n", "lib/err.js": CJS}, {"lib/a.js": "const { isErr } = require('./err')\nisErr()\n"}),
    ],
)
def test_else_nothing_is_imported(files: dict[str, str], before: dict[str, str] | None) -> None:
    assert imported(files, "isErr", before) == []


# AF-3
def test_a_file_that_is_made_to_be_slow_to_read_is_read_all_the_same() -> None:
    slow = "export{isErr\n" * 30_000 + "module.exports = { x\n" * 3_000
    assert imported({"lib/a.js": "isErr()\n", "lib/b.js": slow, "lib/c.js": "export { isErr };\n"}, "isErr")
