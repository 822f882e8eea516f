"""Who needs whom in TypeScript, JavaScript, Go, Rust, Java and Kotlin, in the layouts that people use."""

import subprocess
import sys

from healing.graph import Cache, Graph, import_graph, is_test
from healing.graph.grammars import parse, text
from healing.graph.outlines import Outlines
from healing.view import DictView


def graph_of(files: dict[str, str]) -> Graph:
    return import_graph(DictView({path: text.encode() for path, text in files.items()}))


# CL-2
def test_typescript_finds_relative_and_re_exported_files_and_those_written_with_the_ending_that_they_will_have() -> (
    None
):
    graph = graph_of(
        {
            "src/a.ts": "import {x} from './x.js'\nimport type {T} from './types'\nexport * from './dir'\n"
            "import z = require('./z')\nconst lazy = () => import('./lazy')\nimport(`./${x}`)\n",
            "src/x.ts": "export const x = 1",
            "src/types.d.ts": "export interface T {}",
            "src/dir/index.ts": "export {q} from '../q'",
            "src/q.ts": "export const q = 1",
            "src/z.cts": "export = 1",
            "src/z.ts": "export = 1",
            "src/lazy.tsx": "export default () => <div/>",
            "old/main.js": "const a = require('./lib'); require(a)",
            "old/lib/index.js": "module.exports = 1",
        }
    )
    assert graph.imports("src/a.ts") == {
        "src/x.ts", "src/types.d.ts", "src/dir/index.ts", "src/z.ts", "src/lazy.tsx"
    }  # fmt: skip
    assert graph.imports("src/dir/index.ts") == {"src/q.ts"}
    assert graph.imports("old/main.js") == {"old/lib/index.js"}
    assert graph.defining("T") == ("src/types.d.ts",)
    assert "src/a.ts" in graph.with_dependents(["src/q.ts"])


# CL-2
def test_typescript_follows_paths_of_a_configuration_that_is_extended_and_has_comments() -> None:
    graph = graph_of(
        {
            "tsconfig.json": '{/* ours */ "extends": "./base.json", }',
            "base.json": '{"compilerOptions": {"baseUrl": ".", '
            '"paths": {"@app/*": ["gen/*", "src/*"], "@x": ["src/x"]}}}',
            "src/main.ts": "import '@app/deep/b'\nimport '@x'\nimport 'src/y'\nimport 'react'",
            "src/deep/b.ts": "",
            "src/x.ts": "",
            "src/y.ts": "",
        }
    )
    assert graph.imports("src/main.ts") == {"src/deep/b.ts", "src/x.ts", "src/y.ts"}


# CL-2
def test_packages_of_a_workspace_lead_to_their_sources_by_exports_main_and_imports() -> None:
    graph = graph_of(
        {
            "packages/ui/package.json": '{"name": "@shop/ui", "exports": {".": {"types": "./dist/index.d.ts", '
            '"import": "./dist/index.js"}, "./icons/*": "./dist/icons/*.js"}}',
            "packages/ui/src/index.ts": "",
            "packages/ui/src/icons/cart.ts": "",
            "packages/old/package.json": '{"name": "old", "main": "./lib/start.js", '
            '"imports": {"#int/*": "./lib/*.js"}}',
            "packages/old/lib/start.js": "require('#int/more')",
            "packages/old/lib/more.js": "",
            "app/main.ts": "import '@shop/ui'\nimport '@shop/ui/icons/cart'\nimport 'old'\nimport 'old/lib/more'",
        }
    )
    assert graph.imports("app/main.ts") == {
        "packages/ui/src/index.ts",
        "packages/ui/src/icons/cart.ts",
        "packages/old/lib/start.js",
        "packages/old/lib/more.js",
    }
    assert graph.imports("packages/old/lib/start.js") == {"packages/old/lib/more.js"}


GO = {
    "go.mod": "module example.com/shop\n\nreplace (\n\texample.com/lib v1.2.0 => ./third/lib\n)\n",
    "main.go": 'package main\n\nimport (\n\t"fmt"\n\tm "example.com/shop/internal/money"\n\t"example.com/lib"\n)\n\n'
    "func main() { fmt.Println(helper(), m.New(), lib.X) }\n",
    "help.go": "package main\n\nfunc helper() int { return 1 }\n",
    "alone.go": "package main\n\nfunc alone() {}\n",
    "internal/money/money.go": "package money\n\ntype Money struct{}\n\nfunc New() Money { return Money{} }\n",
    "internal/money/sys_windows.go": "package money\n\nfunc system() int { return 1 }\n",
    "internal/money/sys_unix.go": "//go:build !windows\n\npackage money\n\nfunc system() int { return 2 }\n\n"
    "func both() int { return system() }\n",
    "internal/money/money_test.go": "package money_test\n\n"
    'import "example.com/shop/internal/money"\n\nvar _ = money.New\n',
    "internal/money/gen.go": "//go:build ignore\n\npackage main\n\nfunc main() {}\n",
    "third/lib/go.mod": "module example.com/lib\n",
    "third/lib/lib.go": "package lib\n\nconst X = 1\n",
}


# CL-2
def test_go_builds_a_file_with_the_packages_that_it_imports_and_with_what_it_mentions_of_its_own() -> None:
    graph = graph_of(GO)
    money = {"internal/money/money.go", "internal/money/sys_windows.go", "internal/money/sys_unix.go"}
    assert graph.imports("main.go") == {"help.go", "third/lib/lib.go", *money}
    assert graph.imports("internal/money/money_test.go") == money
    assert graph.imports("internal/money/sys_unix.go") == set(), "what is built for Windows alone never meets it"
    assert graph.defining("Money") == ("internal/money/money.go",)


# CL-2
def test_the_go_files_of_a_workspace_and_of_vendored_packages_are_found() -> None:
    graph = graph_of(
        {
            "go.work": "go 1.19\n\nuse ./a\nuse ./b\n",
            "a/go.mod": "module example.com/a\n",
            "a/a.go": 'package a\n\nimport (\n"example.com/b/deep"\n"github.com/x/y"\n)\n',
            "a/vendor/github.com/x/y/y.go": "package y\n",
            "b/go.mod": "module example.com/b\n",
            "b/deep/deep.go": "package deep\n",
        }
    )
    assert graph.imports("a/a.go") == {"b/deep/deep.go", "a/vendor/github.com/x/y/y.go"}


RUST = {
    "Cargo.toml": '[workspace]\nmembers = ["shop", "coin-lib"]\n'
    '[workspace.dependencies]\ncoin-lib = {path = "coin-lib"}\n',
    "shop/Cargo.toml": '[package]\nname = "shop"\n[dependencies]\ncoin-lib = {workspace = true}\n'
    'other = {path = "../coin-lib", package = "coin-lib"}\n',
    "shop/src/lib.rs": 'pub mod cart;\n#[path = "odd/prices.rs"]\nmod prices;\nmod inner {\n    pub mod leaf;\n'
    "    use super::cart::Cart;\n}\nuse coin_lib::coin::Coin;\nuse other::Purse;\n"
    'fn f() { println!("{}", crate::cart::line::total()); }\n',
    "shop/src/cart.rs": "pub mod line;\npub struct Cart;\n"
    "use crate::prices::{self, Price as P};\nuse super::inner::leaf::*;\n",
    "shop/src/cart/line.rs": "use super::Cart;\npub fn total() {}\n",
    "shop/src/odd/prices.rs": "pub struct Price;\nmod below;\n",
    "shop/src/odd/below.rs": "",
    "shop/src/inner/leaf.rs": "",
    "shop/src/main.rs": "mod cli;\nuse shop::cart::Cart;\nfn main() {}\n",
    "shop/src/cli.rs": "",
    "shop/tests/all.rs": "mod common;\nuse shop::cart::line::total;\n",
    "shop/tests/common/mod.rs": "",
    "coin-lib/Cargo.toml": '[package]\nname = "coin-lib"\n',
    "coin-lib/src/lib.rs": "pub mod coin;\npub struct Purse;\n",
    "coin-lib/src/coin/mod.rs": "pub struct Coin;\n",
}


# CL-2
def test_rust_paths_lead_through_modules_and_the_crates_of_a_workspace() -> None:
    graph = graph_of(RUST)
    assert graph.imports("shop/src/lib.rs") == {
        "shop/src/cart.rs", "shop/src/odd/prices.rs", "shop/src/inner/leaf.rs", "shop/src/cart/line.rs",
        "coin-lib/src/coin/mod.rs", "coin-lib/src/lib.rs",
    }  # fmt: skip
    assert graph.imports("shop/src/cart.rs") == {
        "shop/src/cart/line.rs", "shop/src/odd/prices.rs", "shop/src/inner/leaf.rs"
    }  # fmt: skip
    assert graph.imports("shop/src/odd/prices.rs") == {"shop/src/odd/below.rs"}
    assert graph.imports("shop/src/main.rs") == {"shop/src/cli.rs", "shop/src/cart.rs"}
    assert graph.imports("shop/tests/all.rs") == {"shop/tests/common/mod.rs", "shop/src/cart/line.rs"}


JVM = {
    "src/main/java/shop/Cart.java": "package shop;\n"
    "import money.Coin;\nimport static rates.Rates.today;\nimport tax.*;\n"
    'public class Cart extends Basket { Vat vat; stock.Item item; String s = "Nothing"; /* Nobody */ }\n',
    "src/main/java/shop/Basket.java": "package shop;\nclass Basket {}\n",
    "src/main/java/shop/Nothing.java": "package shop;\nclass Nothing {}\n",
    "src/main/java/shop/Nobody.java": "package shop;\nclass Nobody {}\n",
    "src/main/java/money/Coin.java": "package money;\npublic record Coin(int cents) {}\n",
    "src/main/java/rates/Rates.java": "package rates;\npublic interface Rates {}\n",
    "src/main/java/tax/Vat.java": "package tax;\npublic class Vat {}\n",
    "src/main/java/tax/Toll.java": "package tax;\npublic class Toll {}\n",
    "src/main/java/stock/Item.java": "package stock;\npublic enum Item {}\n",
    "src/main/kotlin/shop/Till.kt": "package shop\n\nimport money.Coin as C\nimport tools.round\n\n"
    "class Till : Basket() { fun open() = round(1) }\n",
    "src/main/kotlin/tools/numbers.kt": "package tools\n\nfun round(n: Int) = n\n\nval zero = 0\n",
    "src/test/java/shop/CartTest.java": "package shop;\nclass CartTest { Cart cart; }\n",
}


# CL-2
def test_java_and_kotlin_find_what_they_import_name_in_full_and_mention_of_their_own_package() -> None:
    graph = graph_of(JVM)
    main = "src/main/java/"
    assert graph.imports(main + "shop/Cart.java") == {
        main + one
        for one in ("shop/Basket.java", "money/Coin.java", "rates/Rates.java", "tax/Vat.java", "stock/Item.java")
    }
    assert graph.imports("src/main/kotlin/shop/Till.kt") == {
        main + "shop/Basket.java", main + "money/Coin.java", "src/main/kotlin/tools/numbers.kt"
    }  # fmt: skip
    assert graph.imports("src/test/java/shop/CartTest.java") == {main + "shop/Cart.java"}


# CL-2
def test_a_change_that_others_edges_hang_on_finds_them_again() -> None:
    cache = Cache()
    before = {path: text.encode() for path, text in GO.items()}
    assert "alone.go" not in import_graph(DictView(before), cache).imports("main.go")
    moved = {**before, "help.go": b"package main\n", "alone.go": b"package main\n\nfunc helper() int { return 1 }\n"}
    after = import_graph(DictView(moved), cache)
    assert "alone.go" in after.imports("main.go")
    assert "help.go" not in after.imports("main.go")
    fresh = import_graph(DictView(moved))
    assert {path: after.imports(path) for path in after.files} == {path: fresh.imports(path) for path in fresh.files}


def test_tests_are_known_by_the_conventions_of_their_language() -> None:
    tests = [
        "a.test.ts",
        "src/__tests__/a.js",
        "a.spec.tsx",
        "a_test.go",
        "tests/all.rs",
        "src/tests.rs",
        "FooTest.java",
    ]
    tests += ["src/test/kotlin/Foo.kt", "src/integrationTest/java/Foo.java", "lib/FooSpec.kt"]
    code = ["src/latest.ts", "contest.go", "test.go", "src/lib.rs", "src/main/java/Contest.java", "testing.ts"]
    assert [path for path in tests if not is_test(path)] == []
    assert [path for path in code if is_test(path)] == []


def test_a_broken_file_a_cycle_and_a_generated_file_of_five_megabytes_do_no_harm() -> None:
    graph = graph_of(
        {
            "a.ts": "import './b'\nfunction (((",
            "b.ts": "import './a'\n",
            "big.ts": "import './a'\n" + "export const x = {a: 1, b: [1, 2, 3]}\n" * 130_000,
            "big.py": "import one\n" + "x = [1, 2, 3]\n" * 350_000,
            "one.py": "import big\n",
            "bad.go": 'package a\nimport "x\n}}}',
            "bad.rs": "mod a; use {{{{",
            "bad.java": "package ; import a.; class",
            "tsconfig.json": '{"extends": "./tsconfig.json", "compilerOptions": 3}',
            "package.json": "[]",
            "Cargo.toml": "[package",
            "go.mod": "module",
        }
    )
    assert graph.imports("a.ts") == {"b.ts"}
    assert graph.imports("big.ts") == {"a.ts"}
    assert graph.imports("big.py") == {"one.py"}
    assert graph.with_dependents(["a.ts"]) == {"a.ts", "b.ts", "big.ts"}


# CL-1
def test_the_function_around_a_line_is_known_in_every_language() -> None:
    files = {
        "a.ts": "class A {\n  run() {\n    return 1\n  }\n}\nconst f = () => {\n  return 2\n}\n",
        "a.go": "package a\n\nfunc (t *T) Run() {\n\tprintln(1)\n}\n",
        "a.rs": "impl Cart<'_> {\n    fn total(&self) {\n        1;\n    }\n}\n",
        "A.java": "class A {\n  int total() {\n    return 1;\n  }\n}\n",
        "a.kt": "class A {\n  fun total(): Int {\n    return 1\n  }\n}\n",
        "a.txt": "x",
    }
    outlines = Outlines(DictView({path: text.encode() for path, text in files.items()}))
    assert [outlines.around("a.ts", 3), outlines.around("a.ts", 7), outlines.around("a.ts", 99)] == ["A.run", "f", ""]
    assert outlines.around("a.go", 4) == "Run"
    assert outlines.around("a.rs", 3) == "Cart.total"
    assert outlines.around("A.java", 3) == "A.total"
    assert outlines.around("a.kt", 3) == "A.total"
    assert outlines.around("a.txt", 1) == ""


def test_a_python_repo_loads_no_other_languages_grammar() -> None:
    program = (
        "import sys; from healing.graph import import_graph; from healing.view import DictView; "
        "import_graph(DictView({'a.py': b'import b', 'b.py': b''})); "
        "print([m for m in sys.modules if m.startswith('tree_sitter')])"
    )
    assert subprocess.check_output([sys.executable, "-c", program], text=True) == "[]\n"


# CL-5
def test_a_file_that_takes_a_parser_hours_is_left_out_after_seconds_and_others_keep_their_text() -> None:
    endless = parse("java", b"class E { void t() { b" + b"-?" * 20_000)
    assert not endless.root_node.named_children
    deep = parse("java", b"/* long */ class E { int one; }\n" * 5_000)
    assert text(deep.root_node.named_children[-1]) == "class E { int one; }"
