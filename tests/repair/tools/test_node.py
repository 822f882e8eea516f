"""npm's tools, run for real on small repos: the repo's settings, versions and ignore files decide."""

from pathlib import Path

import pytest

from healing.repair.tools.biome import Biome
from healing.repair.tools.eslint import Eslint
from healing.repair.tools.eslint_inside import STANDARD, XO
from healing.repair.tools.prettier import Prettier
from healing.repair.tools.prose import MARKDOWNLINT, MARKDOWNLINT_CLI2, Stylelint
from healing.repair.tools.runner import Runner
from healing.repair.tools.settings import ToolConfig
from healing.view import DictView
from tests.repair.tools.running import run

ESLINT = """\
import js from "@eslint/js";
export default [js.configs.recommended, { rules: { "prefer-const": "error" } }, { ignores: ["gen/"] }];
"""
LET = "let x = 1;\nexport default x;\n"
CONST = "const x = 1;\nexport default x;\n"


def config_of(files: dict[str, str], *commands: str) -> ToolConfig:
    return ToolConfig(DictView({name: text.encode() for name, text in files.items()}), commands)


def mend(runner: Runner, root: Path, packages: Path, files: dict[str, str], *chosen: str) -> dict[str, str]:
    """What the runner makes of the chosen files, with the packages as the repo's own."""
    (root / "node_modules").symlink_to(packages)
    return run(root, files, runner.calls(chosen, (), config_of(files)))


# AF-1
def test_eslint_fixes_by_the_repos_rules_what_the_repo_does_not_ignore(root: Path, packages: Path) -> None:
    files = {"package.json": '{"type":"module"}', "eslint.config.js": ESLINT, "a.js": LET, "b.js": LET, "gen/c.js": LET}
    after = mend(Eslint(), root, packages, files, "a.js", "gen/c.js")
    assert (after["a.js"], after["b.js"], after["gen/c.js"]) == (CONST, LET, LET)


# AF-1
def test_standard_fixes_what_it_brings_eslint_along_for(root: Path, packages: Path) -> None:
    files = {"package.json": "{}", "a.js": "let x =  1;\nmodule.exports = x\n"}
    assert mend(STANDARD, root, packages, files, "a.js")["a.js"] == "const x = 1\nmodule.exports = x\n"


# AF-1
def test_prettier_writes_as_the_repo_says_and_skips_what_it_ignores_or_does_not_know(
    root: Path, packages: Path
) -> None:
    files = {".prettierrc": '{ "singleQuote": true }\n', ".prettierignore": "gen/\n", "a.ts": 'f( "a" )', "x.zzz": "( "}
    files["gen/b.ts"] = 'f( "a" )'
    after = mend(Prettier(), root, packages, files, "a.ts", "gen/b.ts", "x.zzz")
    assert (after["a.ts"], after["gen/b.ts"], after["x.zzz"]) == ("f('a');\n", 'f( "a" )', "( ")


# AF-1
def test_biome_formats_and_takes_safe_fixes_alone(root: Path, packages: Path) -> None:
    files = {"biome.json": '{ "formatter": { "indentStyle": "space" } }\n', "a.ts": "let x=1\nexport default x==2\n"}
    after = mend(Biome(), root, packages, files, "a.ts")
    assert after["a.ts"] == "const x = 1;\nexport default x == 2;\n"


# AF-1
def test_stylelint_fixes_what_it_can_and_leaves_the_rest(root: Path, packages: Path) -> None:
    files = {".stylelintrc.json": '{ "extends": "stylelint-config-standard" }\n', "a b.css": "a { color: #FFFFFF; }\n"}
    files |= {"c.css": "a { color: #FFFFFF; colour: red; }\n", "d.js": LET}
    after = mend(Stylelint(), root, packages, files, *files)
    assert (after["a b.css"], after["c.css"]) == ("a { color: #FFF; }\n", "a { color: #FFF; colour: red; }\n")


# AF-1
@pytest.mark.parametrize("runner", [MARKDOWNLINT, MARKDOWNLINT_CLI2], ids=lambda runner: runner.name)
def test_both_programs_of_markdownlint_fix_a_page_by_the_repos_rules(
    root: Path, packages: Path, runner: Runner
) -> None:
    page = "# T\n\n* a\n\n\n\nmore  \nand more\n"
    files = {".markdownlint.json": '{ "MD004": false }\n', "a [1].md": page, "-b.md": page, "c.md": page}
    after = mend(runner, root, packages, files, "a [1].md", "-b.md")
    fixed = "# T\n\n* a\n\nmore  \nand more\n"
    assert (after["a [1].md"], after["-b.md"], after["c.md"]) == (fixed, fixed, page)


# AF-1
def test_a_packages_own_copy_of_a_tool_comes_before_the_workspaces(root: Path) -> None:
    write = (
        '#!/bin/sh\nfor file; do :; done\nprintf "%s of $0\\n" "$PWD" | sed "s|$heal_top/||g; s|.*/repo/||" > "$file"\n'
    )
    files = {"package.json": "{}", "web/package.json": "{}", "web/src/a.js": LET, "b.js": LET}
    programs = {"web/node_modules/.bin/eslint": write, "node_modules/.bin/eslint": write}
    after = run(root, {**files, **programs}, Eslint().calls(("b.js", "web/src/a.js"), (), config_of(files)))
    assert after["web/src/a.js"].endswith("web/node_modules/.bin/eslint\n")
    assert after["b.js"].endswith("node_modules/.bin/eslint\n")
    assert "web" not in after["b.js"]


# AF-1
@pytest.mark.parametrize("name", ["--fix-dry-run.js", "a b.js", "$(touch x).js"])
def test_a_hostile_file_name_is_still_a_file(root: Path, packages: Path, name: str) -> None:
    files = {"package.json": '{"type":"module"}', "eslint.config.js": ESLINT, name: LET}
    assert mend(Eslint(), root, packages, files, name)[name] == CONST


USED: list[tuple[Runner, dict[str, str], tuple[str, ...], bool]] = [
    (Eslint(), {"package.json": '{"devDependencies":{"eslint":"9"}}'}, (), True),
    (Eslint(), {"web/package.json": "{}", "web/eslint.config.mjs": ""}, (), True),
    (Eslint(), {"package.json": '{"scripts":{"lint":"eslint ."}}'}, ("npm run lint",), True),
    (Eslint(), {"package.json": '{"scripts":{"ci":"yarn lint","lint":"eslint ."}}'}, ("pnpm ci",), True),
    (Eslint(), {"package.json": '{"scripts":{"lint":"biome lint"}}'}, ("npm run lint",), False),
    (Eslint(), {"package.json": "[1"}, ("npm install eslint",), False),
    (Eslint(), {".pre-commit-config.yaml": "- id: eslint\n"}, (), True),
    (XO, {"package.json": '{"devDependencies":{"xo":"^0.37.1"}}'}, ("xo",), True),
    (XO, {"package.json": '{"scripts":{"test":"xo && ava"}}'}, ("npm test",), True),
    (XO, {"package.json": '{"devDependencies":{"eslint":"9"}}'}, ("npx eslint .",), False),
    (STANDARD, {"package.json": '{"scripts":{"lint":"standard --verbose | snazzy"}}'}, ("npm run lint",), True),
    (Prettier(), {".prettierrc": "{}"}, (), True),
    (Prettier(), {"package.json": '{"prettier":{}}'}, (), True),
    (Prettier(), {}, ("npx prettier@3 --check .",), True),
    (Prettier(), {"package.json": '{"devDependencies":{"eslint":"9"}}'}, ("npx eslint .",), False),
    (Biome(), {"biome.json": "{}"}, (), True),
    (Biome(), {}, ("npx @biomejs/biome ci .",), True),
    (Biome(), {"node_modules/x/biome.json": "{}", "package.json": "{}"}, (), False),
]


# AF-1
@pytest.mark.parametrize(("runner", "files", "commands", "used"), USED)
def test_a_tool_is_used_where_the_repo_or_its_ci_says_so(
    runner: Runner, files: dict[str, str], commands: tuple[str, ...], used: bool
) -> None:
    assert runner.used(config_of(files, *commands)) is used


# AF-1
def test_the_settings_that_the_repos_own_call_names_are_named_again() -> None:
    files = {"package.json": '{"scripts":{"lint":"eslint -c config/e.js --max-warnings=0 src"}}'}
    tool_config = config_of(files, "npm run lint", "prettier --check --config=.p.json .")
    (call,) = Eslint().calls(("a.js",), (), tool_config)
    assert call.argv == ("eslint", "--fix", "-c", "config/e.js", "--", "a.js")
    (call,) = XO.calls(("a.js",), (), config_of({}, "xo --space --semicolon=false --reporter json"))
    assert call.argv == ("xo", "--fix", "--space", "--", "a.js")
    (call,) = Prettier().calls(("a.js",), (), tool_config)
    assert "--config=.p.json" in call.argv
