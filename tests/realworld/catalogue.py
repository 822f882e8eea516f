"""Which breakages each project gets: one slip of each kind, chosen by the project's name as the seed."""

from collections.abc import Mapping

from tests.realworld import c, go, javascript, mistakes, python, rust
from tests.realworld.projects import WORKFLOW, Project
from tests.realworld.sites import Breakage, File, Source

PROJECTS = tuple(project for language in (python, javascript, go, rust, c) for project in language.PROJECTS)


def cases() -> list[tuple[Project, str]]:
    """Every case as (project, name of the breakage)."""
    return [(project, name) for project in PROJECTS for name in names(project)]


def names(project: Project) -> list[str]:
    """The names of a project's breakages."""
    slips = [name for name in project.language.makers if name not in project.without]
    return slips + [f"upstream-{number}" for number in range(1, len(project.upstream) + 1)]


def candidates(project: Project, name: str, files: Mapping[str, bytes]) -> list[Breakage]:
    """The breakages of one kind in the order in which they are tried: the first that turns CI red is the case."""
    if name.startswith("upstream-"):
        return [list(mistakes.upstream(project, dict(files)))[int(name.removeprefix("upstream-")) - 1]]
    source = source_of(project, name, files)
    return source.shuffled(name, project.language.makers[name](source))


def source_of(project: Project, name: str, files: Mapping[str, bytes]) -> Source:
    """What may be broken in this way: the package, for lint and form only what CI looks at."""
    own = {path: data for path, data in files.items() if project.may_change(path) and path not in project.skip}
    if name in project.only:
        own = {path: data for path, data in own.items() if path.startswith(project.only[name])}
    sources = project.language.sources
    elsewhere = tuple(d for p, d in files.items() if p not in own and sources.search(p) and p != WORKFLOW)
    return Source(project.name, tuple(File(p, d) for p, d in sorted(own.items())), elsewhere)
