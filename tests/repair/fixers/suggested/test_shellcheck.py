"""ShellCheck's own fixes."""

import json

from healing.model import Category, CIError
from healing.repair.fixers.suggested.shellcheck import Shellcheck
from healing.repair.tools.settings import ToolConfig
from healing.view import DictView

SCRIPT = '#!/bin/sh\ndir=$1\n\tls $dir; echo "ü" $dir\n'


def replacement(column: int, end: int, text: str) -> dict[str, object]:
    return {"line": 3, "column": column, "endLine": 3, "endColumn": end, "replacement": text}


# AF-3
def test_its_replacements_are_read_in_characters() -> None:
    view = DictView({"a.sh": SCRIPT.encode()})
    fix = {"replacements": [replacement(20, 20, '"'), replacement(24, 24, '"')]}
    comment = {"file": "./a.sh", "line": 3, "column": 20, "code": 2086, "message": "Double quote", "fix": fix}
    reported = CIError(
        id="E1", tool="shellcheck", code="SC2086", category=Category.LINT, file="a.sh", line=3, message=""
    )
    without = {**comment, "fix": None}
    elsewhere = {**comment, "fix": {"replacements": [{**replacement(20, 20, "x"), "line": 99, "endLine": 99}]}}
    answer = json.dumps({"comments": [without, {"file": "a.sh", "fix": 3}, elsewhere, comment]})
    (suggestion,) = Shellcheck().read(answer, (reported,), view)
    assert [edit.new_string for edit in suggestion.edits(view)] == ['\tls $dir; echo "ü" "$dir"\n']
    assert suggestion.fixes([reported]) == (reported,)


# AF-3
def test_it_is_called_as_the_repository_calls_it() -> None:
    view = DictView({"a.sh": SCRIPT.encode()})
    (call,) = Shellcheck().calls(("a.sh",), (), ToolConfig(view, ("shellcheck -x -s bash a.sh",)))
    assert call.argv == ("shellcheck", "--format=json1", "-x", "-s", "bash", "./a.sh")
