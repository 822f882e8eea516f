"""The cheapest proof in other languages than Python: what parsed before has to parse afterwards."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.verify.syntax import GRAMMARS, problem, syntax_problems

WHOLE = {
    "a.js": b"export const f = async (a) => <p>{a?.b ?? 1}</p>;\n",
    "a.ts": b"export function f<T>(a: T[]): a is string[] { return true; }\n",
    "a.tsx": b"export const A = <T,>({ a }: { a: T }) => <p>{String(a)}</p>;\n",
    "a.go": b"package a\n\nfunc Map[T any](in []T) (out []T) { return in }\n",
    "a.rs": b"pub fn f<'a>(x: &'a str) -> impl Iterator<Item = char> + 'a { x.chars() }\n",
    "a.java": b"record A(int a) { int b() { return a > 1 ? a : 2; } }\n",
    "a.kt": b"fun f(a: Int?): Int = a ?: 2\n",
    "a.json": b'{"a": 1}',
    "a.py": b"x = 1\n",
}


# CK-3
@pytest.mark.parametrize("path", WHOLE)
def test_a_file_that_loses_a_bracket_is_seen_before_anything_is_run(path: str) -> None:
    whole = WHOLE[path]
    assert problem(path, whole) is None
    broken = whole.rstrip() + b"\n(\n"
    (output,) = syntax_problems({path: (whole, broken)})
    assert output.startswith(f"{path}: no longer parses: ")


# CK-3
@pytest.mark.parametrize("path", WHOLE)
def test_a_file_that_did_not_parse_before_may_be_half_repaired(path: str) -> None:
    assert syntax_problems({path: (b"((", b"(( ")}) == []


def test_the_line_of_the_first_thing_wrong_is_named() -> None:
    assert problem("a.go", b"package a\n\nfunc f( {\n}\n") == "')' is missing (line 3)"


@given(st.binary(max_size=200), st.sampled_from(sorted(GRAMMARS)))
def test_whatever_the_bytes_are_the_gate_answers(data: bytes, ending: str) -> None:
    assert isinstance(problem(f"a{ending}", data), str | None)
