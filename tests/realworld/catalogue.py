"""Which breakages each project gets: one slip of each kind, chosen by the project's name as the seed."""

from collections.abc import Callable, Iterator, Mapping

from tests.realworld import mistakes, slips
from tests.realworld.projects import PROJECTS, WORKFLOW, Project
from tests.realworld.sites import Breakage, File, Source

Maker = Callable[[Source], Iterator[Breakage]]

MAKERS: dict[str, Maker] = {
    "unused-import": slips.unused_import,
    "unused-variable": slips.unused_variable,
    "spacing": slips.spacing,
    "quotes": slips.quotes,
    "missing-import": slips.missing_import,
    "wrong-import": slips.wrong_import,
    "misspelt-name": slips.misspelt_name,
    "misspelt-attribute": slips.misspelt_attribute,
    "renamed-symbol": slips.renamed_symbol,
    "missing-colon": slips.missing_colon,
    "missing-bracket": slips.missing_bracket,
    "type-error": mistakes.type_error,
    "comparison": mistakes.comparison,
    "arithmetic": mistakes.arithmetic,
    "lost-return": mistakes.lost_return,
    "inverted-condition": mistakes.inverted_condition,
    "swapped-arguments": mistakes.swapped_arguments,
}
LINTED, FORMATTED, TYPED = ("unused-import", "unused-variable"), ("spacing", "quotes"), ("type-error",)


def cases() -> list[tuple[Project, str]]:
    """Every case as (project, name of the breakage)."""
    found = []
    for project in PROJECTS:
        names = [name for name in MAKERS if name not in TYPED or project.typed]
        names += [f"upstream-{number}" for number in range(1, len(project.upstream) + 1)]
        found += [(project, name) for name in names]
    return found


def candidates(project: Project, name: str, files: Mapping[str, bytes]) -> list[Breakage]:
    """The breakages of one kind in the order in which they are tried: the first that turns CI red is the case."""
    if name.startswith("upstream-"):
        return [list(mistakes.upstream(project, dict(files)))[int(name.removeprefix("upstream-")) - 1]]
    source = source_of(project, name, files)
    return source.shuffled(name, MAKERS[name](source))


def source_of(project: Project, name: str, files: Mapping[str, bytes]) -> Source:
    """What may be broken in this way: the package, for lint and form only what CI looks at."""
    package = {p: d for p, d in files.items() if p.startswith(f"{project.package}/") and p.endswith(".py")}
    own = {p: d for p, d in package.items() if "/tests/" not in p and p not in project.skip}
    if name in LINTED or name in FORMATTED:
        looked_at = tuple(project.linted.split()) if name in LINTED else project.formatted
        own = {p: d for p, d in own.items() if p.startswith(looked_at)}
    elsewhere = tuple(d for p, d in files.items() if p not in own and p.endswith(".py") and p != WORKFLOW)
    return Source(project.name, tuple(File(p, d) for p, d in sorted(own.items())), elsewhere)
