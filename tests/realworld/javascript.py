"""Soon."""

from tests.realworld.projects import Project

PROJECTS: tuple[Project, ...] = ()
