"""Go's cures: imports all at once, the error that a `return` lacks, and what `go vet` names itself."""

import json

import pytest

from healing.model import Category, CIError
from healing.repair.fixers.suggested.go_declaring import GoDeclaring
from healing.repair.fixers.suggested.go_format import GoFormat
from healing.repair.fixers.suggested.go_vet import GoVet, diagnostics
from healing.repair.fixers.suggested.goimports import GoimportsSuggester
from healing.repair.fixers.suggested.gopls import Gopls
from healing.repair.fixers.suggested.short_return import ShortReturn
from healing.repair.fixers.suggested.suggester import Suggester
from healing.repair.tools.settings import ToolConfig
from healing.view import DictView
from tests.pipeline.bench import Bench
from tests.programs import needs

MODULE = {"go.mod": "module example.com/m\n\ngo 1.19\n"}


def error(line: int, message: str) -> CIError:
    return CIError(id=f"E{line}", tool="go vet", category=Category.COMPILE, file="a.go", line=line, message=message)


def suggested(suggester: Suggester, text: str, answer: str, *errors: CIError) -> list[str]:
    """The texts that the suggestions make of the file."""
    view = DictView({"a.go": text.encode()})
    wanted = suggester.wants(errors, ToolConfig(view, ("go vet ./...",)))
    made = []
    for suggestion in suggester.read(answer, wanted, view) if wanted else ():
        new = text
        for edit in suggestion.edits(view):
            new = new.replace(edit.old_string, edit.new_string)
        made.append(new)
    return made


# AF-3
async def test_two_imports_that_are_missing_are_written_together_though_go_tells_of_one(bench: Bench) -> None:
    needs("goimports", "golang-golang-x-tools")
    source = "package m\n\nfunc F(s string)   string {\n\treturn strings.ToUpper(fmt.Sprint(s))\n}\n"
    outcome = await bench.heal(MODULE, {"a.go": source}, "go vet ./...")
    assert outcome.verdict == "healed"
    (proposal,) = outcome.proposals
    assert proposal.source == "fixer:goimports"
    (edit,) = proposal.edits
    assert edit.new_string == 'package m\n\nimport (\n\t"fmt"\n\t"strings"\n)\n\n'  # the rest keeps its spaces


# AF-3
async def test_a_return_gets_the_error_that_it_lacks(bench: Bench) -> None:
    needs("go", "golang-go")
    source = "package m\n\nfunc F(s string) ([]byte, error) {\n\tif s == s {\n\t\treturn []byte(s)\n\t}\n"
    source += "\treturn nil, nil\n}\n"
    outcome = await bench.heal(MODULE, {"a.go": source}, "go vet ./...")
    assert outcome.verdict == "healed"
    assert [(p.source, p.edits[0].new_string) for p in outcome.proposals] == [
        ("fixer:short-return", "\t\treturn []byte(s), nil\n")
    ]


# AF-3
@pytest.mark.parametrize(
    ("body", "have", "want", "after"),
    [
        ("return x", "int", "int, error", "return x, nil"),
        ("if err != nil { return x }", "int", "int, error", "if err != nil { return x, err }"),
        (
            "if err := f(); err != nil {\n\treturn x",
            "int",
            "int, error",
            "if err := f(); err != nil {\n\treturn x, err",
        ),
        ("return x // why", "int", "int, error", "return x, nil // why"),
        ("return Item{Name: n}", "Item", "Item, error", "return Item{Name: n}, nil"),
        ("if ok { return Item{} }", "Item", "Item, error", "if ok { return Item{}, nil }"),
        ("return x", "int", "int, string", None),
        ("return x", "int", "error, int", None),
        ("return", "", "error", None),
        ("return f(func() {", "int", "int, error", None),
        ("return fail(x)", "error", "Item, error", None),
    ],
)
def test_what_a_return_lacks_is_only_reported_where_it_is_an_error_at_the_end(
    body: str, have: str, want: str, after: str | None
) -> None:
    text = f"package m\n\n{body}\n"
    reported = error(2 + len(body.split("\n")), f"not enough return values\n\thave ({have})\n\twant ({want})")
    assert suggested(ShortReturn(), text, "", reported) == ([f"package m\n\n{after}\n"] if after else [])


# AF-3
def test_a_return_of_nothing_but_the_error_gets_what_all_others_of_the_function_give_beside_one() -> None:
    text = (
        "package m\n\nfunc Other() (int, error) {\n\treturn 1, err\n}\n\nfunc F() (Item, error) {\n\tif err != nil {\n"
        '\t\treturn Item{}, err\n\t}\n\treturn fmt.Errorf("no")\n}\n'
    )
    reported = error(11, "not enough return values\n\thave (error)\n\twant (Item, error)")
    fixed = text.replace('return fmt.Errorf("no")', 'return Item{}, fmt.Errorf("no")')
    assert suggested(ShortReturn(), text, "", reported) == [fixed]
    second = text.replace("\tif err != nil {\n", "\tif err == nil {\n\t\treturn Item{1}, err\n\t}\n\tif err != nil {\n")
    assert suggested(ShortReturn(), second, "", reported.model_copy(update={"line": 14})) == []


# AF-3
@pytest.mark.parametrize(
    ("verb", "kind", "after"),
    [
        ("%s", "int", "%d"),
        ("%d", "string", "%s"),
        ("%-5d", "string", "%-5s"),
        ("%d", "float64", None),
        ("%s", "T", None),
    ],
)
def test_a_verb_follows_a_type_that_has_one(verb: str, kind: str, after: str | None) -> None:
    line = 'package m\n\n\tfmt.Printf("VERB: %v", n, m)\n'
    reported = error(3, f"fmt.Printf format {verb} has arg n of wrong type {kind}")
    found = suggested(GoFormat(), line.replace("VERB", verb), "", reported)
    assert found == ([line.replace("VERB", after)] if after else [])


# AF-3
def test_the_verb_of_a_call_over_several_lines_follows_too() -> None:
    text = 'package m\n\n\tfmt.Errorf(\n\t\t"part %d of %s",\n\t\tpart, err)\n'
    reported = error(3, "fmt.Errorf format %d has arg part of wrong type string [build failed]")
    assert suggested(GoFormat(), text, "", reported) == [text.replace("%d", "%s")]


# AF-3
@pytest.mark.parametrize(
    ("line", "message", "after"),
    [
        ("\ttotal = 0", "undefined: total [build failed]", "\ttotal := 0"),
        ("\tn, err = f()", "undefined: n", "\tn, err := f()"),
        ("\tif err = f(); err != nil {", "undefined: err", "\tif err := f(); err != nil {"),
        ("\ttotal := 1", "no new variables on left side of :=", "\ttotal = 1"),
        ("\tf(total)", "undefined: total", None),
        ("\tx = total", "undefined: total", None),
        ("\tif total == 1 {", "undefined: total", None),
    ],
)
def test_a_name_is_declared_where_it_is_first_assigned_to(line: str, message: str, after: str | None) -> None:
    found = suggested(GoDeclaring(), f"package m\n\n{line}\n", "", error(3, message))
    assert found == ([f"package m\n\n{after}\n"] if after else [])


# AF-3
def test_what_go_vet_names_as_a_fix_is_read_and_what_is_broken_is_passed_over() -> None:
    edit = {"filename": "a.go", "start": 11, "end": 12, "new": "b"}
    reported = {"posn": "a.go:3:1", "message": "m", "suggested_fixes": [{"message": "Write b", "edits": [edit]}]}
    broken = {"posn": "a.go:3:1", "suggested_fixes": [{"message": "no edits"}, 7]}
    answer = (
        "# m\n" + json.dumps({"m": {"printf": [reported, broken, 1], "x": {"error": "y"}}}, indent=1) + "\n# n\n{}\n{"
    )
    assert suggested(GoVet(), "package m\n\na\n", answer, error(3, "m")) == ["package m\n\nb\n"]
    elsewhere = answer.replace('"a.go",', '"../etc/passwd",')
    assert suggested(GoVet(), "package m\n\na\n", elsewhere, error(3, "m")) == []
    assert list(diagnostics("{" * 100_000)) == []


# AF-3
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('package m\nimport "a"\n\nfunc F() {}\n', 'package m\n\nimport "b"\n\nfunc F()  {}\n'),
        ('package m\n\nvar s = `\nimport "a"\n`\n', 'package m\n\nimport "b"\n\nvar s = 1\n'),
        ("// package x\npackage m\n", '// package x\npackage m\n\nimport "b"\n'),
    ],
)
def test_of_goimports_only_the_imports_are_taken(old: str, new: str) -> None:
    answer = json.dumps({"file": "a.go", "text": new})
    (made,) = suggested(GoimportsSuggester(), old, answer, error(1, "undefined: b"))
    assert 'import "b"' in made
    assert made.partition("func")[2] == old.partition("func")[2]
    assert made.partition("var")[2] == old.partition("var")[2]
    assert suggested(GoimportsSuggester(), old, "[" * 5000, error(1, "undefined: b")) == []


# AF-3
def test_a_variable_that_goes_takes_its_indentation_with_it() -> None:
    """gopls removes it from its first letter to the next line, and so left a tab before what stands there."""
    text = "package a\n\nfunc f() {\n\tx := 1\n}\n"
    fix = {"file": "a.go", "line": 3, "code": "", "message": "m", "title": "Remove variable x", "preferred": False}
    answer = json.dumps({**fix, "edits": {"a.go": [[3, 1, 4, 0, ""]]}})
    made = suggested(Gopls(), text, answer, error(4, "x declared but not used"))
    assert made == ["package a\n\nfunc f() {\n}\n"]
