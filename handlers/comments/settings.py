"""The settings of a repository, for a page (SC-1, `config`)."""

from handlers.comments.clean import cell, code, joined, sentence
from handlers.ports import Settings


def told(settings: Settings, branch: str) -> str:
    """The answer to `config`."""
    given = [one for one in settings.settings if one.given]
    rows = ["| Key | Value | From |", "|---|---|---|"]
    for one in settings.settings:
        source = "the file" if one.given else "default"
        rows.append(f"| `{one.key}` | {cell(code(one.value, 200))} | {source} |")
    wrong = "\n".join(f"- {sentence(problem, 300)}" for problem in settings.problems[:20])
    said = f"These settings hold here, from `.github/heal.yml` on {code(branch, 100)}"
    return joined(
        [
            f"{said}:" if given else f"{said}, which sets none of them:",
            f"The file can't be used, so the defaults go on:\n{wrong}" if wrong else "",
            "\n".join(rows),
            "A pull request can't change them for itself. `heal config check` tries a file on your machine.",
        ]
    )
