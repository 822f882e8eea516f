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


def proposed(settings: Settings, head_sha: str) -> str:
    """What a pull request that changes the file hears about it."""
    seen = f"<sub>As of {code(head_sha[:7], 10)}.</sub>"
    if not settings.problems:
        given = ", ".join(f"`{one.key}`" for one in settings.settings if one.given) or "nothing but the defaults"
        said = f"`.github/heal.yml` is right now. It says {given}, and holds from the merge on."
        return joined(["### Heal: heal.yml is right", said, seen])
    wrong = "\n".join(f"- {sentence(problem, 300)}" for problem in settings.problems[:20])
    return joined(
        [
            "### Heal: heal.yml can't be used",
            f"This pull request changes `.github/heal.yml`, and something is wrong with it:\n\n{wrong}",
            "Merged like this, Heal would go on with the defaults. `heal config check` says the same on your machine.",
            seen,
        ]
    )
