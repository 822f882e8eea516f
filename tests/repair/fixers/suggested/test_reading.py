"""What tools answer, read into suggestions: exact bytes, the right error, and never an exception."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.edits.exact import EditSpan, apply_edits
from healing.model import Category, CIError
from healing.repair.fixers.suggested import SUGGESTERS, Suggester
from healing.repair.fixers.suggested.advised_name import AdvisedName
from healing.repair.fixers.suggested.eslint import EslintSuggestions
from healing.repair.fixers.suggested.near_name import NearName
from healing.repair.fixers.suggested.offsets import Offsets
from healing.repair.fixers.suggested.printed import PrintedName, pair
from healing.repair.fixers.suggested.rustc import Rustc
from healing.repair.fixers.suggested.suggestion import Suggestion
from healing.repair.fixers.suggested.typescript import TypeScript
from healing.repair.tools.settings import ToolConfig
from healing.view import DictView


def error(message: str = "m", file: str = "a.rs", line: int = 1, **more: Any) -> CIError:
    known = {"id": f"{file}{line}{message}", "tool": "t", "category": Category.COMPILE}
    return CIError(**{**known, **more}, file=file, line=line, message=message)


def applied(suggestion: Suggestion, view: DictView) -> dict[str, bytes | None]:
    return apply_edits(suggestion.edits(view), view.read)


# AF-3
@given(st.text(max_size=60), st.data())
def test_a_place_in_utf_16_units_or_characters_is_the_same_byte(text: str, data: st.DataObject) -> None:
    text = text.encode("utf-8", "replace").decode()
    at = data.draw(st.integers(0, len(text)))
    offsets = Offsets(text.encode())
    byte = len(text[:at].encode())
    line, column = text[:at].count("\n"), at - (text.rfind("\n", 0, at) + 1)
    units = len(text[at - column : at].encode("utf-16-le")) // 2
    assert offsets.of_units(len(text[:at].encode("utf-16-le")) // 2) == byte + offsets.skipped
    assert offsets.at_characters(line, column) == byte + offsets.skipped
    assert offsets.at_units(line, units) == byte + offsets.skipped


def test_a_byte_order_mark_and_places_outside_are_no_stumbling_blocks() -> None:
    offsets = Offsets(b"\xef\xbb\xbfab\n")
    assert (offsets.of_units(1), offsets.at_units(0, 2), offsets.at_characters(1, 0)) == (4, 5, 6)
    assert [offsets.of_units(9), offsets.at_units(5, 0), offsets.at_units(0, 7), offsets.of_units(-1)] == [None] * 4
    assert Offsets(b"\xff\xfe").at_units(0, 1) is None


SPAN = {"file_name": "a.rs", "is_primary": True, "line_start": 1, "byte_start": 0, "byte_end": 1}


def rust(*replaced: tuple[int, int, str], applicability: str = "MachineApplicable") -> str:
    spans = [
        {**SPAN, "byte_start": a, "byte_end": b, "suggested_replacement": t, "suggestion_applicability": applicability}
        for a, b, t in replaced
    ]
    child = {"message": "try this", "spans": spans}
    message = {"message": "m", "code": {"code": "clippy::x"}, "spans": [SPAN], "children": [child]}
    return json.dumps({"reason": "compiler-message", "message": message}) + "\n" + json.dumps({"reason": "build"})


# AF-3
def test_the_parts_of_one_suggestion_of_rustc_belong_together_and_ways_for_one_place_do_not() -> None:
    view = DictView({"a.rs": b"abcd\n"})
    errors = (error(code="x", tool="clippy"),)
    (both,) = Rustc().read(rust((0, 1, "A"), (2, 3, "C")), errors, view)
    assert applied(both, view) == {"a.rs": b"AbCd\n"}
    assert both.fixes(errors) == errors
    first, second = Rustc().read(rust((0, 1, "A"), (0, 1, "Z")), errors, view)
    assert (applied(first, view), applied(second, view)) == ({"a.rs": b"Abcd\n"}, {"a.rs": b"Zbcd\n"})
    assert first.certainty > second.certainty
    assert list(Rustc().read(rust((0, 1, "A"), applicability="HasPlaceholders"), errors, view)) == []


def test_a_path_that_cargo_names_from_its_workspace_is_found_in_the_repo() -> None:
    view = DictView({"core/a.rs": b"abcd\n"})
    (found,) = Rustc().read(rust((0, 1, "A")), (error(file="core/a.rs"),), view)
    assert applied(found, view) == {"core/a.rs": b"Abcd\n"}


# AF-3
def test_eslints_places_count_utf_16_units() -> None:
    text = 'const s = "😀"; a == b;\n'
    at = len(text.split("==", maxsplit=1)[0].encode("utf-16-le")) // 2
    fix = {"desc": "Use ===", "fix": {"range": [at, at + 2], "text": "==="}}
    message = {"ruleId": "eqeqeq", "message": "Expected", "line": 1, "suggestions": [fix]}
    view = DictView({"a.js": text.encode()})
    answer = json.dumps([{"filePath": "a.js", "messages": [message]}])
    (found,) = EslintSuggestions().read(answer, (), view)
    assert applied(found, view) == {"a.js": text.replace("==", "===").encode()}


# AF-3
@pytest.mark.parametrize(
    ("fix", "start", "length", "text", "taken"),
    [
        ("import", 0, 0, 'import { a } from "./a";\n', True),
        ("unusedIdentifier", 0, 18, "", False),  # takes a call away
        ("fixMissingMember", 0, 0, 'throw new Error("Method not implemented.");', False),
        ("disableJsDiagnostics", 0, 0, "// @ts-ignore\n", False),
        ("inferFromUsage", 0, 0, ": any", False),
    ],
)
def test_typescripts_fixes_that_invent_silence_or_remove_work_are_not_taken(
    fix: str, start: int, length: int, text: str, taken: bool
) -> None:
    view = DictView({"a.ts": b"const x = pay(3);\n\n"})
    reported = {"file": "a.ts", "line": 1, "code": 6133, "message": "m", "fix": fix, "title": "t"}
    answer = json.dumps([{**reported, "changes": {"a.ts": [[start, length, text]]}}])
    assert bool(list(TypeScript().read(answer, (), view))) is taken


# AF-3
def test_a_linter_can_not_tell_which_of_two_imports_is_meant_so_neither_is_taken() -> None:
    view = DictView({"a.js": b"f();\n"})
    reported = {"file": "a.js", "line": 1, "code": 2304, "message": "m", "fix": "import"}
    one = {
        **reported,
        "title": 'Add import from "./b"',
        "changes": {"a.js": [[0, 0, "const { f } = require('./b')\n"]]},
    }
    two = {
        **reported,
        "title": 'Add import from "./c"',
        "changes": {"a.js": [[0, 0, "const { f } = require('./c')\n"]]},
    }
    default = {
        **reported,
        "title": "Add import",
        "changes": {"a.js": [[0, 0, "const { default: f } = require('./d')\n"]]},
    }
    linted = (error("'f' is not defined", "a.js", tool="eslint", code="no-undef"),)
    (found,) = TypeScript().read(json.dumps([one, default]), linted, view)
    assert found.fixes(linted) == linted
    assert list(TypeScript().read(json.dumps([one, two]), linted, view)) == []
    assert len(list(TypeScript().read(json.dumps([one, two]), (), view))) == 2


PRINTED = [
    ("Cannot find name 'nmae'. Did you mean 'name'?", ("nmae", "name")),
    ("Property 'lenght' does not exist on type 'string'. Did you mean 'length'?", ("lenght", "length")),
    ('"Shop" has no attribute "pice"; maybe "price"?', ("pice", "price")),
    ("t.name undefined (type T has no field or method name, but does have Name)", ("name", "Name")),
    ("t.name undefined (type T has no field or method name, but does have field Name)", ("name", "Name")),
    ("'cuont' was not declared in this scope; did you mean 'count'?", ("cuont", "count")),
    ('Name "x" is not defined', None),
    ('"A" has no attribute "b"; maybe "c" or "d"?', None),
]


# AF-3
@pytest.mark.parametrize(("message", "names"), PRINTED)
def test_what_a_tool_prints_as_meant_is_read(message: str, names: tuple[str, str] | None) -> None:
    assert pair(error(message)) == names


# AF-3
def test_a_printed_name_is_written_where_the_wrong_one_stands_alone_or_where_the_column_says() -> None:
    view = DictView({"a.ts": b"f(nmae, nmae, nmaes);\n"})
    message = "Cannot find name 'nmae'. Did you mean 'name'?"
    assert list(PrintedName().read("", (error(message, "a.ts"),), view)) == []
    (found,) = PrintedName().read("", (error(message, "a.ts", column=9),), view)
    assert applied(found, view) == {"a.ts": b"f(nmae, name, nmaes);\n"}


ADVISED = [
    ("eslint", "`get` is deprecated. Use `fetch` instead", 1, "box.get(get)", "box.fetch(get)"),
    ("eslint", "`get` is deprecated. Use `fetch` instead", 5, "box.get(box.get())", "box.fetch(box.get())"),
    ("eslint", "`get` is deprecated. Use `fetch` instead", 1, "get()", None),  # nobody would see a missing import
    ("eslint", "'substr' is restricted from being used. Use 'slice' instead", 1, "a.substr(1, 2)", None),
    ("eslint", "'util.isArray' was deprecated. Use 'Array.isArray()' instead.", 1, "util.isArray(x)", None),
    ("eslint", "`get` is deprecated. Use `_get` instead", 1, "box.get()", None),
    ("rustc", "use of deprecated function `m::old`: use `fresh`", 1, "old(1) + m::old()", "fresh(1) + m::fresh()"),
    ("gcc", "‘old’ is deprecated: use new_one instead", 5, 'old("old"); // old', 'new_one("old"); // old'),
    ("gcc", "‘old’ is deprecated: use fresh instead", 5, "old();", None),  # a bare word may be English
    ("gcc", "‘old’ is deprecated: use new_one instead", 5, "other();", None),
]


# AF-3
@pytest.mark.parametrize(("tool", "message", "column", "old", "new"), ADVISED)
def test_a_name_that_a_tool_advises_is_written_where_the_old_one_stands(
    tool: str, message: str, column: int, old: str, new: str | None
) -> None:
    view = DictView({"a.ts": old.encode()})
    wrong = (error(message, "a.ts", tool=tool, column=column),)
    wanted = AdvisedName().wants(wrong, ToolConfig(view))
    found = sorted(AdvisedName().read("", wanted, view), key=lambda one: -one.certainty)
    assert [applied(one, view) for one in found[:1]] == ([{"a.ts": new.encode()}] if new else [])


# AF-3
def test_all_places_of_a_deprecated_name_are_one_suggestion_because_no_half_would_compile() -> None:
    view = DictView({"src/a.rs": b"use m::old;\nfn f() {\n    old()\n}\n", "tests/b.rs": b"use m::old;\n"})
    message = "use of deprecated function `m::old`: use `fresh` instead"
    places = [("src/a.rs", 1), ("src/a.rs", 3), ("tests/b.rs", 1)]
    errors = tuple(error(message, file, line, tool="rustc") for file, line in places)
    product = {"src/a.rs": b"use m::fresh;\nfn f() {\n    fresh()\n}\n"}
    both, alone, *each = AdvisedName().read("", errors, view)
    assert applied(both, view) == {**product, "tests/b.rs": b"use m::fresh;\n"}
    assert applied(alone, view) == product
    assert len(each) == 3


NEAR = [
    ("a.ts", "Cannot find name 'nmae'.", "f(name); g(nmae);", "f(name); g(name);"),
    ("a.js", "'cuont' is not defined", "let count = 1; f(cuont); // cuontt", "let count = 1; f(count); // cuontt"),
    ("p/a.go", "undefined: Slect", "x := Slect(1)", "x := Select(1)"),
    ("a.rs", "cannot find function `wrte` in this scope", "fn write() { wrte() }", "fn write() { write() }"),
    ("a.rs", "no method named `leng` found for struct `Vec<i32>`", "a.leng()", None),
    ("a.ts", "Property 'pirce' does not exist on type 'Item'.", "f(i.price, i.pirce)", "f(i.price, i.price)"),
    ("a.js", "TypeError: text.tirm is not a function", "text.tirm()", "text.trim()"),
    ("a.js", "TypeError: text.frobnicate is not a function", "text.frobnicate()", None),
    ("a.php", "Undefined variable $reslut", "$result = 1; return $reslut;", "$result = 1; return $result;"),
    ("a.pl", 'Global symbol "$toatl" requires explicit package', "my $total; $toatl;", "my $total; $total;"),
    ("a.go", "undefined: strings", 'x := "string"; strings.ToUpper(x)', None),
]


# AF-3
@pytest.mark.parametrize(("file", "message", "old", "new"), NEAR)
def test_a_name_near_one_in_use_is_written_for_one_that_nobody_knows(
    file: str, message: str, old: str, new: str | None
) -> None:
    view = DictView({file: old.encode(), "p/b.go": b"func Select(n int) {}"})
    found = [applied(one, view) for one in NearName().read("", (error(message, file),), view)]
    assert found == ([{file: new.encode()}] if new else [])


# AF-3
def test_a_name_of_the_function_comes_before_one_that_is_nearer_and_out_of_reach() -> None:
    """As in the crate hex: `output` is a parameter of the function above."""
    above = b"fn encode(output: &mut [u8]) {}\n"
    view = DictView(
        {"a.rs": above + b"fn decode(out: &mut [u8]) {\n    for _ in 0..1 {\n        ouput.len();\n    }\n}\n"}
    )
    wrong = error("cannot find value `ouput` in this scope", "a.rs").model_copy(update={"line": 4})
    found = sorted(NearName().read("", (wrong,), view), key=lambda one: -one.certainty)
    assert [one.title for one in found] == ["Write `out` for `ouput`", "Write `output` for `ouput`"]


# AF-3
def test_a_line_of_what_a_coverage_tool_runs_gives_way_to_the_only_one_with_the_name() -> None:
    """As with nyc, which puts many lines of a file on one."""
    data = b"function add(a, b) {\n  const result = a + b\n  return reslut\n}\n"
    wrong = error("ReferenceError: reslut is not defined", "a.js", 1, column=233)
    for text, fixed in ((data, data.replace(b"reslut", b"result")), (data + b"// reslut\n", None)):
        view = DictView({"a.js": text})
        found = [applied(one, view) for one in NearName().read("", (wrong,), view) if one.fixes((wrong,))]
        assert found == ([{"a.js": fixed}] if fixed else [])


def test_a_deletion_takes_the_line_that_it_empties_with_it() -> None:
    view = DictView({"a.js": b"a;\n  const t = 1;\nb;\n"})
    suggestion = Suggestion("a.js", 2, "t", {"a.js": (EditSpan(5, 17, b""),)}, 90)
    assert applied(suggestion, view) == {"a.js": b"a;\nb;\n"}


def test_a_suggestion_that_does_not_fit_the_file_is_none() -> None:
    view = DictView({"a.js": b"abc"})
    for spans in ((EditSpan(2, 9, b""),), (EditSpan(0, 2, b""), EditSpan(1, 3, b"")), ()):
        assert Suggestion("a.js", 1, "t", {"a.js": spans}, 90).edits(view) == ()
    assert Suggestion("b.js", 1, "t", {"b.js": (EditSpan(0, 0, b"x"),)}, 90).edits(view) == ()


KEYS = (
    "filePath",
    "filename",
    "messages",
    "message",
    "fix",
    "range",
    "text",
    "suggestions",
    "spans",
    "children",
    "edits",
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 400) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=30,
)


# AF-3
@pytest.mark.parametrize("suggester", SUGGESTERS, ids=lambda s: s.name)
@given(answer=st.text(max_size=50) | JSON.map(json.dumps))
def test_a_broken_answer_is_no_reason_to_raise(suggester: Suggester, answer: str) -> None:
    view = DictView({"a.js": b"abc", "a.rs": b"abc"})
    for suggestion in suggester.read(answer, (error(file="a.js"), error()), view):
        suggestion.edits(view)
