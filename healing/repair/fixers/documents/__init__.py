"""Fixers for documents and data: reStructuredText, Markdown, YAML."""

from healing.repair.fixers.documents.moved_document import MovedDocument
from healing.repair.fixers.documents.renamed_label import RenamedLabel
from healing.repair.fixers.documents.title_marks import TitleMarks
from healing.repair.fixers.documents.yaml_layout import YamlLayout
from healing.repair.fixers.fixer import Fixer

DOCUMENTS: tuple[Fixer, ...] = (YamlLayout(), TitleMarks(), MovedDocument(), RenamedLabel())

__all__ = ["DOCUMENTS"]
