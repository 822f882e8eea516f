"""C's cures: GCC's own fix-its, what is unused, and what the repository declares elsewhere."""

import pytest

from healing.model import Category, CIError
from healing.repair.fixers.suggested.c_const import CConst
from healing.repair.fixers.suggested.c_declaring import CDeclaring
from healing.repair.fixers.suggested.c_unused import CUnused
from healing.repair.fixers.suggested.gcc import Gcc
from healing.repair.fixers.suggested.suggester import Suggester
from healing.repair.tools.settings import ToolConfig
from healing.view import DictView
from tests.pipeline.bench import Bench
from tests.programs import needs

MAKEFILE = "all: a.o\n\na.o: a.c\n\tgcc -Wall -Wextra -Werror -c a.c -o a.o\n"


def error(line: int, message: str) -> CIError:
    return CIError(id=f"E{line}", tool="gcc", category=Category.COMPILE, file="a.c", line=line, message=message)


def suggested(suggester: Suggester, text: str, reported: CIError, answer: str = "", **files: str) -> list[str]:
    """The texts that the suggestions make of a.c; `files` are headers by their stems."""
    view = DictView({"a.c": text.encode(), **{f"{stem}.h": data.encode() for stem, data in files.items()}})
    wanted = suggester.wants((reported,), ToolConfig(view, ("make",)))
    texts = []
    for suggestion in suggester.read(answer, wanted, view) if wanted else ():
        new = text
        for edit in suggestion.edits(view):
            new = new.replace(edit.old_string, edit.new_string)
        texts.append(new)
    return texts


# AF-3
@pytest.mark.parametrize(
    ("broken", "fixed", "source"),
    [
        (
            '#include <stdio.h>\n\nvoid f(void);\nvoid f(void)\n{\n    puts(getenv("A"));\n}\n',
            "#include <stdio.h>\n#include <stdlib.h>\n",
            "fixer:gcc",
        ),
        (
            '#include <stdio.h>\nvoid f(size_t n);\nvoid f(size_t n)\n{\n    printf("%5d\\n", n);\n}\n',
            '    printf("%5zu\\n", n);\n',
            "fixer:gcc",
        ),
        ("int f(int n);\nint f(int n)\n{\n    int left = n - 1;\n    return n;\n}\n", "", "fixer:c-unused"),
        (
            "int f(int n);\nint f(int n)\n{\n    return twice(n);\n}\n\n"
            "static int twice(int n)\n{\n    return 2 * n;\n}\n",
            "static int twice(int n);\n\n",
            "fixer:c-declaring",
        ),
        (
            "char f(const char *s);\nchar f(const char *s)\n{\n    char *p = s;\n    return *p;\n}\n",
            "    const char *p = s;\n",
            "fixer:c-const",
        ),
    ],
)
async def test_what_gcc_refuses_is_fixed_and_compiles(bench: Bench, broken: str, fixed: str, source: str) -> None:
    needs("gcc", "gcc")
    outcome = await bench.heal({"Makefile": MAKEFILE, "a.c": "int a;\n"}, {"a.c": broken}, "make")
    assert outcome.verdict == "healed"
    assert {p.source for p in outcome.proposals} == {source}
    assert fixed in "".join(edit.new_string for p in outcome.proposals for edit in p.edits)


# AF-3
@pytest.mark.parametrize(
    ("message", "written", "expected"),
    [
        ("format ‘%d’ expects argument of type ‘int’, but argument 2 has type ‘long int’", "%ld", "%ld"),
        ("but argument 2 has type ‘size_t’ {aka ‘long unsigned int’}", "%lx", "%zx"),
        ("but argument 2 has type ‘ssize_t’ {aka ‘long int’}", "%ld", "%zd"),
        ("but argument 2 has type ‘int64_t’ {aka ‘long int’}", "%ld", None),
        ("but argument 2 has type ‘uid_t’ {aka ‘unsigned int’}", "%u", None),
    ],
)
def test_a_conversion_is_written_only_where_it_is_right_on_every_machine(
    message: str, written: str, expected: str | None
) -> None:
    reported = error(1, message).model_copy(update={"suggestion": written})
    answer = f'a.c:1:9: error: {message} [-Werror=format=]\nfix-it:"a.c":{{1:9-1:11}}:"{written}"\n'
    texts = suggested(Gcc(), 'printf("%d", n);\n', reported, answer)
    assert texts == ([f'printf("{expected}", n);\n'] if expected else [])


# AF-3
def test_a_fix_it_outside_the_file_and_a_guessed_name_are_left_alone() -> None:
    reported = error(1, "expected ‘;’ before ‘}’ token").model_copy(update={"suggestion": ";"})
    head = "a.c:1:9: error: expected ‘;’ before ‘}’ token\n"
    assert suggested(Gcc(), "int a\n", reported, head + 'fix-it:"a.c":{1:6-1:6}:";"\n') == ["int a;\n"]
    assert suggested(Gcc(), "int a\n", reported, head + 'fix-it:"a.c":{9:6-9:6}:";"\n') == []
    guess = error(1, "‘cuont’ undeclared; did you mean ‘count’?").model_copy(update={"suggestion": "count"})
    assert suggested(Gcc(), "cuont;\n", guess, 'a.c:1:1: error: x\nfix-it:"a.c":{1:1-1:6}:"count"\n') == []


# AF-3
@pytest.mark.parametrize(
    "line",
    [
        "    int n = next();\n",
        "    int n = i++;\n",
        "    int n = m = 1;\n",
        "    int n = 1, m = 2;\n",
        "    for (int n = 0; ;) {\n",
        "    return n;\n",
    ],
)
def test_a_declaration_that_does_more_than_declare_stays(line: str) -> None:
    assert suggested(CUnused(), line, error(1, "unused variable ‘n’")) == []


# AF-3
@pytest.mark.parametrize("line", ["    int n;\n", '    const char *n = "a";  // why\n', "    long n = p->size * 2;\n"])
def test_a_plain_declaration_goes_with_its_line(line: str) -> None:
    assert suggested(CUnused(), f"{line}    go();\n", error(1, "unused variable ‘n’")) == ["    go();\n"]


# AF-3
def test_an_unused_function_goes_with_its_comment_and_a_mark() -> None:
    text = "int a;\n\n/* Twice. */\nstatic int twice(int n)\n{\n    return 2 * n;\n}\n\nint b;\n"
    reported = error(4, "‘twice’ defined but not used")
    assert suggested(CUnused(), text, reported) == ["int a;\n\nint b;\n"]
    view = DictView({"a.c": text.encode()})
    (suggestion,) = CUnused().read("", (reported,), view)
    assert suggestion.flags == ("removes `twice`: nothing calls it, and maybe something should",)


# AF-3
def test_the_one_header_that_declares_a_name_is_included() -> None:
    text = "#include <stdio.h>\n\nint f(void) { return parse(1); }\n"
    reported = error(3, "implicit declaration of function ‘parse’")
    header, other = "int parse(int n);\n", '#include "parse.h"\n'
    (new,) = suggested(CDeclaring(), text, reported, parse=header, other=other)
    assert new == '#include <stdio.h>\n\n#include "parse.h"\n\nint f(void) { return parse(1); }\n'
    assert suggested(CDeclaring(), text, reported, parse=header, other=other + header) == []
    assert suggested(CDeclaring(), f'#include "parse.h"\n{text}', reported, parse=header) == []
    assert suggested(CDeclaring(), text, reported, parse=f"// {header}", other=other) == []


# AF-3
def test_const_is_added_only_where_the_variable_is_declared() -> None:
    message = "initialization discards ‘const’ qualifier from pointer target type"
    assert suggested(CConst(), "    struct item *p = find();\n", error(1, message)) == [
        "    const struct item *p = find();\n"
    ]
    assert suggested(CConst(), "    p = find();\n", error(1, message)) == []
