"""A repository's own tools are code of its branch: what they write passes the same guard as an agent's edits."""

import json

import pytest

from healing.checks.check import Script
from healing.model import NotChecked
from healing.repair.tools.applying import Autofix
from healing.repair.tools.origin import runs_branch_code
from healing.verify.verifier import Verifier
from healing.view import DictView
from tests.pipeline.bench import Bench, Files

CONFIG = 'export default [{ ignores: ["node_modules/"] }, { rules: { "prefer-const": "error" } }];\n'
PACKAGE = '{ "type": "module" }\n'
LET = "let x = 1;\nexport default x;\n"
SHIM = """\
#!/bin/sh
for file; do :; done
{ echo '/* eslint-disable */'; cat "$file"; } > "$file.new"
mv "$file.new" "$file"
"""
HONEST_SHIM = """\
#!/bin/sh
for file; do :; done
sed -i 's/^let /const /' "$file"
"""
SWALLOWING = """\
const guarded = {
  meta: { type: "problem", fixable: "code", schema: [] },
  create: (context) => ({
    ExpressionStatement(node) {
      if (node.parent.type !== "Program") return;
      const guarded = `try { ${context.sourceCode.getText(node)} } catch {}`;
      context.report({ node, message: "not guarded", fix: (fixer) => fixer.replaceText(node, guarded) });
    },
  }),
};
export default { rules: { guarded } };
"""
WITH_PLUGIN = """\
import local from "./tools/local.js";
export default [
  { ignores: ["tools/", "*.config.js", "node_modules/"] },
  { plugins: { local }, rules: { "local/guarded": "error" } },
];
"""
INLINE_CONFIG = """\
const quiet = {
  meta: { type: "problem", fixable: "code", schema: [] },
  create: (context) => ({
    VariableDeclaration(node) {
      if (node.kind !== "let") return;
      const fix = (fixer) => fixer.insertTextBefore(node, "/* eslint-disable */ ");
      context.report({ node, message: "let", fix });
    },
  }),
};
const own = { rules: { quiet } };
export default [{ ignores: ["*.config.js"] }, { plugins: { own }, rules: { "own/quiet": "error" } }];
"""
PRETTIER_PLUGIN = """\
export const languages = [{ name: "own", parsers: ["own"], extensions: [".ts"] }];
export const parsers = { own: { parse: (text) => ({ text }), astFormat: "own", locStart: () => 0, locEnd: () => 0 } };
const quiet = (text) => (text.startsWith("// @ts-nocheck") ? text : "// @ts-nocheck\\n" + text);
export const printers = { own: { print: (path) => quiet(path.node.text) } };
"""


async def tried(verifier: Verifier) -> list[NotChecked]:
    """What is reported once the repository's tools ran over all errors."""
    output: list[NotChecked] = []
    await Autofix(verifier, output).run(tuple(verifier.errors.values()))
    return output


MALICIOUS: list[tuple[str, Files, str, str, str]] = [
    (
        "autofix with eslint",
        {"package.json": PACKAGE, "eslint.config.js": CONFIG, "a.js": LET, "node_modules/.bin/eslint": SHIM},
        "eslint .", "silencing", "eslint-disable",
    ),
    (
        "autofix with eslint",
        {"package.json": PACKAGE, "eslint.config.js": WITH_PLUGIN, "tools/local.js": SWALLOWING, "a.js": "run();\n"},
        "eslint .", "excepts", "swallows failures",
    ),
    (
        "autofix with eslint",
        {"package.json": PACKAGE, "eslint.config.js": INLINE_CONFIG, "a.js": LET},
        "eslint .", "silencing", "eslint-disable",
    ),
    (
        "autofix with prettier",
        {
            "package.json": PACKAGE, "tools/own.js": PRETTIER_PLUGIN, "a.ts": "let x: number = 'a';\n",
            ".prettierrc": json.dumps({"plugins": ["./tools/own.js"]}) + "\n",
        },
        "prettier --check a.ts", "silencing", "ts-nocheck",
    ),
]  # fmt: skip


# JD-4 CK-5
@pytest.mark.parametrize(("what", "files", "command", "rule", "detail"), MALICIOUS)
async def test_a_tool_plug_in_or_setting_of_the_branch_that_hides_an_error_is_refused_by_the_rules_name(
    node_bench: Bench, what: str, files: Files, command: str, rule: str, detail: str
) -> None:
    verifier = await node_bench.verifier(files, command)
    assert verifier.errors
    output = await tried(verifier)
    assert verifier.accepted == []
    (one,) = [each for each in output if each.what == what]
    assert f"refused by the guard: {rule}: " in one.why
    assert detail in one.why


# JD-4
async def test_a_program_that_set_up_puts_before_the_real_one_is_judged_too(bench: Bench) -> None:
    shim = "#!/bin/sh\nprintf 'x = 1  # type: ignore\\n' > a.py\n"
    files = {"a.py": "x  =  1\n", "pyproject.toml": "[tool.black]\n", ".venv/bin/black": shim}
    verifier = await bench.verifier(
        files, "python -m black --check --quiet a.py || { echo 'would reformat a.py'; exit 1; }"
    )
    (check,) = verifier.checks
    put = Script(name="Install", run='echo "$PWD/.venv/bin" >> "$GITHUB_PATH"')
    verifier.checks = (check.model_copy(update={"setup": (put,)}),)
    verifier.shown_by = {verifier.checks[0].key: frozenset(verifier.errors)}
    assert [e.tool for e in verifier.errors.values()] == ["black"]
    (output,) = await tried(verifier)
    assert verifier.accepted == []
    assert "refused by the guard: silencing: a.py" in output.why


# JD-4 CK-5
async def test_a_tool_that_was_caught_in_one_file_is_offered_for_no_other_and_the_run_goes_on(
    node_bench: Bench,
) -> None:
    shim = """\
#!/bin/sh
for file; do
  case $file in
    a.js) { echo '/* eslint-disable */'; cat a.js; } > new; mv new a.js ;;
    *.js) sed -i 's/^let /const /' "$file" ;;
  esac
done
"""
    files = {"a.js": LET, "b.js": LET, "c.json": "{ }", "eslint.config.js": CONFIG, "node_modules/.bin/eslint": shim}
    files |= {"package.json": PACKAGE, ".prettierrc": "{}\n"}
    verifier = await node_bench.verifier(files, "eslint .", "prettier --check c.json")
    output = await tried(verifier)
    assert [proposal.source for proposal in verifier.accepted] == ["autofix:prettier"]
    assert [one.what for one in output] == ["autofix with eslint"]
    assert await tried(verifier) == [], "a later attempt of the same run doesn't ask it again"


# JD-4
async def test_a_tool_that_is_part_of_the_branch_is_not_called_as_sure_as_one_of_heals_own(node_bench: Bench) -> None:
    files = {"a.js": LET, "b.py": "x  =  1\n", "eslint.config.js": CONFIG, "node_modules/.bin/eslint": HONEST_SHIM}
    files |= {"package.json": PACKAGE, "pyproject.toml": "[tool.black]\n"}
    verifier = await node_bench.verifier(
        files, "eslint .", "black --check --quiet . || { echo 'would reformat b.py'; exit 1; }"
    )
    output: list[NotChecked] = []
    changed = frozenset({"a.js", "node_modules/.bin/eslint"})
    await Autofix(verifier, output, changed).run(tuple(verifier.errors.values()))
    assert output == []
    by_source = {proposal.source: proposal for proposal in verifier.accepted}
    own, branchs = by_source["autofix:black"], by_source["autofix:eslint"]
    assert (own.confidence, own.flags) == (99, ())
    assert branchs.confidence <= 70
    assert "code of this branch" in branchs.explanation
    assert branchs.flags == (
        "node_modules/.bin/eslint: can decide what eslint writes, and this pull request changes it",
    )


# JD-4
async def test_what_a_tool_changes_beside_the_files_with_errors_is_left_out_and_reported(node_bench: Bench) -> None:
    shim = HONEST_SHIM + "echo '// looks fine' >> tests.js\necho '{}' > package-lock.json\n"
    files = {"a.js": LET, "tests.js": "export default 1;\n", "package-lock.json": "{ }\n", "package.json": PACKAGE}
    files |= {"eslint.config.js": CONFIG, "node_modules/.bin/eslint": shim}
    verifier = await node_bench.verifier(files, "eslint .")
    assert await tried(verifier) == []
    (proposal,) = verifier.accepted
    assert {edit.file for edit in proposal.edits} == {"a.js"}
    assert "eslint also changed tests.js, where no error is: left out" in proposal.flags


# JD-4
async def test_a_tool_of_heals_own_is_less_sure_where_set_up_could_have_replaced_it(bench: Bench) -> None:
    verifier = await bench.verifier({"a.py": "import os\nx = 1\n", "pyproject.toml": "[tool.ruff]\n"}, "ruff check .")
    (check,) = verifier.checks
    verifier.checks = (check.model_copy(update={"setup": (Script(name="Install", run="true"),)}),)
    verifier.shown_by = {verifier.checks[0].key: frozenset(verifier.errors)}
    assert await tried(verifier) == []
    (proposal,) = verifier.accepted
    assert proposal.confidence == 90


# JD-4
@pytest.mark.parametrize(
    ("tool", "files", "runs"),
    [
        ("prettier", {".prettierrc": "{}", "package.json": '{"devDependencies":{"prettier":"3"}}'}, False),
        ("prettier", {".prettierrc": '{"plugins": ["prettier-plugin-sorted"]}'}, False),
        ("prettier", {".prettierrc": '{"plugins": ["./tools/own.js"]}'}, True),
        ("prettier", {".prettierrc.yaml": "plugins:\n  - ./tools/own.js\n"}, True),
        ("prettier", {"web/prettier.config.mjs": ""}, True),
        ("eslint", {".eslintrc.json": "{}"}, False),
        ("eslint", {"eslint.config.js": ""}, True),
        ("eslint", {"package.json": '{"devDependencies":{"eslint-plugin-own":"file:./own"}}'}, True),
        ("biome", {"biome.json": '{"plugins": ["./own.grit"]}'}, True),
        ("typescript", {"web/node_modules/.bin/tsc": ""}, True),
        ("black", {"pyproject.toml": "[tool.black]"}, False),
        ("clippy", {}, True),
    ],
)
def test_a_tool_is_the_branchs_where_its_program_plug_ins_or_configuration_are_run_from_there(
    tool: str, files: Files, runs: bool
) -> None:
    view = DictView({path: text.encode() for path, text in files.items()})
    assert runs_branch_code(tool, view) is runs


# JD-4 CK-7
async def test_a_run_offers_nothing_that_a_malicious_plug_in_wrote_and_reports_the_error(node_bench: Bench) -> None:
    base = {"package.json": PACKAGE, "eslint.config.js": INLINE_CONFIG}
    outcome = await node_bench.heal(base, {"a.js": LET}, "eslint .")
    assert outcome.proposals == ()
    assert [report.reason for report in outcome.unfixables] == ["no-key"]
    (output,) = [one for one in outcome.not_looked if one.what == "autofix with eslint"]
    assert "silencing: a.js" in output.why
