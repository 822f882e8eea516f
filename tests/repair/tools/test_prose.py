"""codespell, run for real on small repos."""

from pathlib import Path

from healing.model import Category, CIError
from healing.repair.tools.prose import Codespell
from healing.repair.tools.settings import ToolConfig
from healing.view import DictView
from tests.programs import of_programs_lock
from tests.repair.tools.running import run


def config_of(files: dict[str, str], *commands: str) -> ToolConfig:
    return ToolConfig(DictView({name: text.encode() for name, text in files.items()}), commands)


# AF-1
def test_codespell_writes_words_with_one_correction_alone(root: Path) -> None:
    program = str(of_programs_lock("codespell"))
    files = {".codespellrc": "[codespell]\nignore-words-list = hel\n", "-a.md": "teh hel and fo\n", "b.md": "teh\n"}
    (call,) = Codespell().calls(("-a.md",), (), config_of(files))
    after = run(root, files, (type(call)((program, *call.argv[1:]), call.folder, call.codes),))
    assert after["-a.md"] == "the hel and fo\n"  # `fo` may be `of`, `for`, `to`, …
    assert after["b.md"] == "teh\n"


# AF-1
def test_codespell_is_called_as_the_repo_calls_it() -> None:
    config = config_of({"a.py": ""}, "codespell -L ans,nd --skip '*.po' src")
    (call,) = Codespell().calls(("a.py",), (), config)
    assert call.argv[3:] == ("-L", "ans,nd", "--skip", "*.po", "--", "a.py")
    assert Codespell().used(config)
    assert not Codespell().used(config_of({"a.py": ""}))


# AF-1
def test_codespell_takes_what_it_reports_itself_or_as_a_hook() -> None:
    said = [("codespell", None), ("pre-commit", "codespell"), ("pre-commit", "black"), ("typos", None)]
    errors = tuple(
        CIError(id=str(n), tool=tool, code=code, category=Category.LINT, message="teh ==> the")
        for n, (tool, code) in enumerate(said)
    )
    assert Codespell().wants(errors) == errors[:2]


# AF-1
def test_a_tool_that_npx_calls_without_installing_it_is_called() -> None:
    assert config_of({}, "npx --no-install prettier --check src").called("prettier") == ("--check src",)
    assert config_of({}, "npm install prettier").called("prettier") == ()
