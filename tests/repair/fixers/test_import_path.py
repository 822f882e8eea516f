"""Imports of JavaScript and TypeScript by a path that leads nowhere."""

import pytest

from healing.logs.reading import read_log
from tests.repair.fixers.repos import Broken

SOURCE = "fixer:import_path"
UTILS = "exports.add = (a, b) => a + b\n"


# AF-3
@pytest.mark.parametrize(
    ("old", "new", "importer", "was", "said", "now"),
    [
        ("lib/u.js", "lib/math/u.js", "lib/app.js", "require('./u')", "./u", "require('./math/u')"),
        ("lib/u.js", "lib/v.js", "app.js", 'require("./lib/u.js")', "./lib/u.js", 'require("./lib/v.js")'),
        ("lib/index.js", "src/index.js", "app.js", "import x from './lib'", "./lib", "import x from './src'"),
        ("src/a.ts", "src/b/a.ts", "src/c.ts", "export * from './a.js'", "./a.js", "export * from './b/a.js'"),
        ("src/a.mjs", "a.mjs", "src/c.mjs", "import('./a.mjs')", "/w/src/a.mjs", "import('../a.mjs')"),
    ],
)
def test_imports_follow_a_file_that_was_moved(old: str, new: str, importer: str, was: str, said: str, now: str) -> None:
    before = {old: UTILS, importer: f"{was}\n"}
    after = {new: UTILS, importer: f"{was}\n"}
    broken = Broken(after, before).said(f"Error: Cannot find module '{said}'", (importer, 1))
    assert broken.top() == (SOURCE, {importer: f"{now}\n"})


# AF-3
def test_a_test_that_cannot_load_follows_too_with_what_it_mocks() -> None:
    text = "jest.mock('../lib/utils')\nconst u = require('../lib/utils')\n"
    broken = Broken({"src/utils.js": UTILS, "test/a.test.js": text}, {"lib/utils.js": UTILS, "test/a.test.js": text})
    broken.said("Cannot find module '../lib/utils' from 'test/a.test.js'", ("test/a.test.js", 2))
    assert broken.top() == (SOURCE, {"test/a.test.js": text.replace("../lib/", "../src/")})


# AF-3
@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("./lib/utlis", "./lib/utils"),
        ("./lib/utlis.js", "./lib/utils.js"),
        ("./libb/utils", "./lib/utils"),
        ("./lib/numbes", "./lib/numbers"),
        ("./.config/setings", "./.config/settings"),
    ],
)
def test_one_misspelt_word_of_a_path_is_put_right(wrong: str, right: str) -> None:
    files = {
        "lib/utils.js": UTILS,
        "lib/numbers/index.js": UTILS,
        ".config/settings.js": UTILS,
        "app.js": f"import u from '{wrong}'\n",
    }
    broken = Broken(files).said(f"Cannot find module '{wrong}' or its type declarations.", ("app.js", 1))
    assert broken.top() == (SOURCE, {"app.js": f"import u from '{right}'\n"})


# AF-3
@pytest.mark.parametrize(
    ("files", "said", "importer"),
    [
        (
            {"app.js": "require('expres')\n", "lib/express.js": ""},
            "expres",
            "app.js",
        ),  # a package, perhaps a stranger's
        ({"test/a.test.js": "require('../utlis')\n", "utils.js": ""}, "../utlis", "test/a.test.js"),
        ({"app.js": "require('./a1')\n", "a2.js": "", "a3.js": ""}, "./a1", "app.js"),
        ({"app.js": "require('./gone')\n", "other.js": ""}, "./gone", "app.js"),
    ],
)
def test_where_nothing_is_sure_no_path_is_proposed(files: dict[str, str], said: str, importer: str) -> None:
    broken = Broken(files).said(f"Error: Cannot find module '{said}'", (importer, 1))
    assert all(candidate.source != SOURCE for candidate in broken.candidates())


# AF-3
def test_node_names_who_imports_an_es_module_that_moved_and_a_test_that_does_follows() -> None:
    importer = "tests/u.test.mjs"
    log = (
        f"node:internal/modules/esm/resolve:283\n    throw new ERR_MODULE_NOT_FOUND(\n          ^\n\n"
        f"Error [ERR_MODULE_NOT_FOUND]: Cannot find module 'lib/u.mjs' imported from {importer}\n"
        "    at finalizeResolution (node:internal/modules/esm/resolve:283:11)\n"
        "    at moduleResolve (node:internal/modules/esm/resolve:952:10) {\n"
        "  code: 'ERR_MODULE_NOT_FOUND'\n}\n\nNode.js v20.20.2\n"
    )
    text = "import { add } from '../lib/u.mjs'\n"
    broken = Broken({"lib/math/u.mjs": UTILS, importer: text}, {"lib/u.mjs": UTILS, importer: text})
    broken.errors = list(read_log(log.encode()).errors)
    assert [error.file for error in broken.errors] == [importer]
    assert broken.top() == (SOURCE, {importer: "import { add } from '../lib/math/u.mjs'\n"})
