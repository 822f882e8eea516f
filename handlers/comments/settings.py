"""The settings of a repository, for a page (`/heal config`)."""

from handlers.comments.clean import cell, code, joined, sentence
from handlers.model import Settings


def current(settings: Settings, branch: str) -> str:
    """The answer to `config`."""
    given = [one for one in settings.settings if one.given]
    rows = ["| Key | Value | From |", "|---|---|---|"]
    for one in settings.settings:
        rows.append(f"| `{one.key}` | {cell(code(one.value, 200))} | {'heal.yml' if one.given else 'default'} |")
    wrong = "\n".join(f"- {sentence(problem, 300)}" for problem in settings.problems[:20])
    kept = ", except where the table says heal.yml" if given else ""
    source = f"Settings for this repository, from `.github/heal.yml` on {code(branch, 100)}"
    return joined(
        [
            f"{source}:" if given or wrong else f"{source}, which sets none:",
            f"The file has errors, so the defaults apply{kept}:\n{wrong}" if wrong else "",
            "\n".join(rows),
            "A pull request can't change its own settings. If you have Heal's command-line tool, `heal config check` "
            "checks a file on your machine.",
        ]
    )


def proposed(settings: Settings, head_sha: str) -> str:
    """The comment on a pull request that changes the file."""
    seen = f"<sub>As of {code(head_sha[:7], 10)}.</sub>"
    if not settings.problems:
        given = ", ".join(f"`{one.key}`" for one in settings.settings if one.given) or "nothing"
        result = f"It sets {given} and takes effect once merged."
        return joined(["### Heal: heal.yml is valid", result, seen])
    wrong = "\n".join(f"- {sentence(problem, 300)}" for problem in settings.problems[:20])
    return joined(
        [
            "### Heal: heal.yml has errors",
            f"`.github/heal.yml` in this pull request is not valid:\n\n{wrong}",
            "If it is merged as is, Heal uses the defaults. If you have Heal's command-line tool, `heal config check` "
            "shows the same errors on your machine.",
            seen,
        ]
    )
