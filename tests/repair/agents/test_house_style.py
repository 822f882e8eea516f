"""What a repository says about its style, as agents are told it."""

from healing.repair.agents.house_style import CUT, LIMIT, house_style

ROOT = b"# House\nTabs are four columns wide, and lines at most eighty.\n"
NEAR = b"In this package every function has a docstring, in the imperative.\n"
CONTRIBUTING = b"""# Contributing
Open an issue first, please, and wait for somebody to answer it.
## Code style
We like small functions.
```sh
# the formatter
make format
```
### Names
Whole words.
## Releases
Tag them.
"""


# OP-10
def test_the_nearest_guide_comes_first_and_each_is_told_once() -> None:
    files = {"AGENTS.md": ROOT, "CLAUDE.md": ROOT, "src/shop/AGENTS.md": NEAR, "docs/AGENTS.md": b"x" * 100}
    output = house_style(["src/shop/cart.py", "src/shop/total.py"], files.get)
    assert output == f"src/shop/AGENTS.md:\n{NEAR.decode().strip()}\n\nAGENTS.md:\n{ROOT.decode().strip()}"


# OP-10
def test_of_contributing_only_what_it_calls_style_is_reported() -> None:
    output = house_style([], {"CONTRIBUTING.md": CONTRIBUTING}.get)
    section = CONTRIBUTING.decode().partition("## Code style")[2].partition("\n## Releases")[0]
    assert output == f"CONTRIBUTING.md:\n## Code style{section}"


# OP-10 AG-10
def test_guides_are_bounded_and_what_is_no_text_or_only_points_elsewhere_is_left_out() -> None:
    files = {
        "AGENTS.md": b"word " * 100_000,
        "CLAUDE.md": b"@AGENTS.md\n",
        ".github/copilot-instructions.md": b"\0" * 90,
    }
    assert house_style([], files.get) == ""
    output = house_style(["a/b.py"], {"AGENTS.md": b"word " * 2_000, "a/AGENTS.md": NEAR}.get)
    assert output.endswith(CUT)
    assert len(output) < LIMIT + 100
    assert output.startswith("a/AGENTS.md:")
