"""Copies of a Go or Rust test that don't compile are left out: the others tell what a fix does with other values."""

import pytest

from tests.pipeline.bench import Bench
from tests.verify.guard.proven import Case, judged

GO_TOTAL = """package stock

func Total(prices map[uint8]int) int {
	sum := 0
	for n, price := range prices {
%s	}
	return sum
}
"""
GO = {
    "go.mod": "module example.com/stock\n\ngo 1.19\n",
    "stock.go": GO_TOTAL % "\t\tsum += int(n) + price\n",
    # Halved the keys are the same, doubled the last is no uint8: neither compiles.
    "stock_test.go": """package stock

import "testing"

func TestTotal(t *testing.T) {
	if got := Total(map[uint8]int{2: 10, 3: 20, 200: 1}); got != 280 {
		t.Fatalf("got %d", got)
	}
}
""",
}
RUST_TOTAL = "pub fn total(name: &str, counts: [usize; 2]) -> usize {\n%s}\n"
RUST_TEST = """
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums() {
        // With other numbers its length is wrong, so that only other texts compile.
        let counts: [usize; 2] = [4, 6];
        assert_eq!(total("crates", counts), 16);
    }
}
"""
RUST = {
    "Cargo.toml": '[package]\nname = "stock"\nversion = "0.1.0"\nedition = "2021"\n',
    "Cargo.lock": 'version = 3\n\n[[package]]\nname = "stock"\nversion = "0.1.0"\n',
    "src/lib.rs": RUST_TOTAL % "    counts[0] * counts[1] + name.len()\n" + RUST_TEST,
}
GO_RIGHT = GO_TOTAL % "\t\tsum += int(n) * price\n"
GO_FITTED = GO_TOTAL % "\t\tif price > 9 {\n\t\t\tsum += int(n) * price\n\t\t} else {\n\t\t\tsum += int(n)\n\t\t}\n"
RUST_RIGHT = RUST_TOTAL % "    counts.iter().sum::<usize>() + name.len()\n" + RUST_TEST
RUST_FITTED = RUST_TOTAL % "    counts.iter().sum::<usize>() + name.matches('s').count() + 5\n" + RUST_TEST


def change(command: str, files: dict[str, str], path: str, right: str, fix: str) -> Case:
    return Case("", "stock", "one", False, command, files, {path: right}, {path: fix}, {})


# JD-5, JD-6
@pytest.mark.parametrize(
    "case",
    [
        change("go test ./...", GO, "stock.go", GO_RIGHT, GO_FITTED),
        change("cargo test --offline", RUST, "src/lib.rs", RUST_RIGHT, RUST_FITTED),
    ],
    ids=["go", "rust"],
)
async def test_a_fix_that_fits_the_values_is_marked_where_some_copies_do_not_compile(bench: Bench, case: Case) -> None:
    (one,) = [one async for one in judged(bench, [case])]
    assert one.accepted, one.why
    assert any("with the code from before the pull request" in flag for flag in one.flags), one.flags


# JD-6
@pytest.mark.parametrize(
    "case",
    [
        change("go test ./...", GO, "stock.go", GO_RIGHT, GO_RIGHT.replace("sum := 0", "var sum int")),
        change(
            "cargo test --offline",
            RUST,
            "src/lib.rs",
            RUST_RIGHT,
            RUST_RIGHT.replace("counts.iter()", "counts.into_iter()"),
        ),
    ],
    ids=["go", "rust"],
)
async def test_an_honest_fix_is_not_marked_there(bench: Bench, case: Case) -> None:
    (one,) = [one async for one in judged(bench, [case])]
    assert (one.accepted, one.flags) == (True, ()), one.why
