"""Repos in TypeScript, JavaScript, Go and Rust, broken in ways that their own tools know a cure for: healed for free,
and seen green by running the failing command again."""

from pathlib import Path

import pytest

from healing.model import Outcome
from tests.pipeline.bench import Bench, Files, red_job
from tests.programs import needs

WORKFLOW = """\
on: [pull_request]
jobs:
  checks:
    steps:
      - uses: actions/checkout@v4
      - {name: Install, run: "ln -sfn PACKAGES node_modules"}
      - {name: Check, run: "COMMAND"}
"""
JOBS = (red_job("checks", ("Install", "success"), ("Check", "failure")),)


def healed_by(outcome: Outcome) -> dict[str, str]:
    """Message → how it ended, of an outcome in which every proposal's command was seen green."""
    assert outcome.verdict == "healed", [u.why for u in outcome.unfixables]
    assert all(any(e.after_exit == 0 for e in p.evidence) for p in outcome.proposals)
    ended = {r.error_id: r.how for r in outcome.resolutions}
    return {f"{e.code or e.tool}:{e.line}": ended[e.id] for e in outcome.errors}


TSCONFIG = """\
{"compilerOptions": {
  "strict": true, "noEmit": true, "target": "es2022", "module": "esnext", "moduleResolution": "bundler"
}}
"""
MONEY = "export function formatCents(cents: number): string {\n  return (cents / 100).toFixed(2);\n}\n"


# AF-3
@pytest.mark.slow
async def test_typescripts_own_fixes_import_what_is_missing_and_await_what_is_not(
    node_bench: Bench, packages: Path
) -> None:
    base: Files = {
        ".gitignore": "node_modules\n",
        "package.json": "{}",
        "tsconfig.json": TSCONFIG,
        "src/money.ts": MONEY,
    }
    change = {
        "src/price.ts": "export const price = formatCents(3);\n",
        "src/load.ts": "async function load(): Promise<number> {\n  return 1;\n}\n\n"
        "export async function twice(): Promise<number> {\n  return load() * 2;\n}\n",
    }
    workflow = WORKFLOW.replace("PACKAGES", str(packages)).replace("COMMAND", "npx tsc -p .")
    outcome = await node_bench.heal(base, change, workflow=workflow, jobs=JOBS)
    assert healed_by(outcome) == {"TS2304:1": "fixer:typescript", "TS2362:6": "fixer:typescript"}
    edits = {edit.file: edit.new_string for p in outcome.proposals for edit in p.edits}
    assert edits["src/price.ts"].startswith('import { formatCents } from "./money";\n')
    assert edits["src/load.ts"] == "  return await load() * 2;\n"


ESLINT = """\
import js from "@eslint/js";
export default [js.configs.recommended, { rules: { "prefer-const": "error" } }];
"""


# AF-1, AF-3
async def test_eslint_fixes_what_is_safe_as_a_whole_and_what_it_suggests_one_by_one(
    node_bench: Bench, packages: Path
) -> None:
    base: Files = {
        ".gitignore": "node_modules\n",
        "package.json": '{"type": "module", "scripts": {"lint": "eslint ."}}',
        "eslint.config.js": ESLINT,
    }
    change = {
        "a.js": "let x = 1;\nexport default x;\n",
        "b.js": "export function f() {\n  const t = 1;\n  return 2;\n}\n",
    }
    workflow = WORKFLOW.replace("PACKAGES", str(packages)).replace("COMMAND", "npm run lint")
    outcome = await node_bench.heal(base, change, workflow=workflow, jobs=JOBS)
    assert healed_by(outcome) == {"prefer-const:1": "autofix:eslint", "no-unused-vars:2": "fixer:typescript"}
    edits = {edit.old_string: edit.new_string for p in outcome.proposals for edit in p.edits}
    assert edits == {"let x = 1;\n": "const x = 1;\n", "  const t = 1;\n": ""}


# AF-3
async def test_biomes_unsafe_fixes_are_asked_of_its_language_server(node_bench: Bench, packages: Path) -> None:
    base: Files = {".gitignore": "node_modules\n", "package.json": "{}", "biome.json": "{}\n"}
    change = {"b.ts": "export function f(a: number) {\n\treturn a == 1;\n}\n"}
    workflow = WORKFLOW.replace("PACKAGES", str(packages)).replace("COMMAND", "npx biome lint b.ts")
    outcome = await node_bench.heal(base, change, workflow=workflow, jobs=JOBS)
    assert healed_by(outcome) == {"lint/suspicious/noDoubleEquals:2": "fixer:biome"}
    assert outcome.proposals[0].edits[0].new_string == "\treturn a === 1;\n"


GO: Files = {"go.mod": "module example.com/m\n\ngo 1.19\n", "t.go": "package main\n\ntype T struct{ Name string }\n"}


# AF-3
@pytest.mark.slow
async def test_goplss_quick_fixes_and_a_name_that_the_compiler_prints(bench: Bench) -> None:
    needs("go", "golang-go")
    needs("gopls", "gopls")
    source = (
        'package main\n\nimport "os"\n\nfunc main() {\n\tx := 1\n\tt := T{}\n\tprintln(strings.ToUpper(t.name))\n}\n'
    )
    outcome = await bench.heal(GO, {"main.go": source}, "go build ./...")
    assert set(healed_by(outcome).values()) <= {"fixer:gopls", "fixer:goimports", "fixer:did-you-mean"}
    named = {p.title: p.source for p in outcome.proposals}
    assert named["Write `Name` for `name`"] == "fixer:did-you-mean"
    assert named["Remove variable x"] == "fixer:gopls"


RUST: Files = {
    ".gitignore": "target\n",
    "Cargo.toml": '[package]\nname = "m"\nversion = "0.1.0"\nedition = "2021"\n',
}


# AF-1, AF-3
@pytest.mark.slow
async def test_rustcs_suggestions_and_clippys_and_rustfmts_repairs(bench: Bench) -> None:
    needs("cargo", "cargo")
    needs("cargo-clippy", "rust-clippy")
    needs("rustfmt", "rustfmt")
    source = (
        "pub fn count(words: &[String]) -> usize {\n    let mut seen = HashMap::new();\n    for word in words {\n"
        "        seen.insert(word.clone(), ());\n    }\n    seen.leng()\n}\n\n"
        "pub fn   none(words: &[String]) -> bool {\n    return words.len() == 0;\n}\n"
    )
    outcome = await bench.heal(RUST, {"src/lib.rs": source}, "cargo clippy -- -D warnings", "cargo fmt --check")
    ended = healed_by(outcome)
    assert ended["E0433:2"] == "fixer:rustc"
    assert ended["rustfmt:6"] == "autofix:rustfmt"
