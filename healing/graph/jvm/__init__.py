"""Java and Kotlin, which use one another: a file's package, its imports, what it declares and what it mentions."""

import re
from collections.abc import Hashable
from dataclasses import dataclass

from healing.graph.facts import Facts, Import
from healing.graph.grammars import captures, text
from healing.graph.jvm.packages import JvmPackages
from healing.graph.language import Tree
from healing.graph.words import bare, words

JAVA = """
(package_declaration [(scoped_identifier) (identifier)] @package)
(import_declaration) @import
(program [(class_declaration name: (_) @name) (interface_declaration name: (_) @name) (enum_declaration name: (_) @name)
  (record_declaration name: (_) @name) (annotation_type_declaration name: (_) @name)])
"""
KOTLIN = """
(package_header (qualified_identifier) @package)
(import) @import
(source_file [(class_declaration name: (_) @name) (object_declaration name: (_) @name)
  (function_declaration name: (_) @name) (type_alias type: (_) @name)
  (property_declaration (variable_declaration (identifier) @name))])
"""
IMPORTED = re.compile(r"\bimport\s+(?:static\s+)?([\w`]+(?:\s*\.\s*[\w`]+)*)(\s*\.\s*\*)?")
QUALIFIED = re.compile(rb"\b(?:[a-z]\w*+\.){1,20}[A-Z]\w*+")


@dataclass(frozen=True)
class JvmFacts(Facts):
    """Facts of a file that others of its package use without an import."""

    @property
    def offer(self) -> Hashable:
        return (self.package, self.definitions)


def read_facts(data: bytes, suffix: str) -> JvmFacts:
    """Never raises; a broken file gives what it can."""
    found = captures("java", JAVA, data) if suffix == ".java" else captures("kotlin", KOTLIN, data)
    imports = [one for node in found.get("import", ()) if (one := _import(text(node)))]
    qualified = sorted({match.decode("utf-8", "replace") for match in QUALIFIED.findall(bare(data))})
    return JvmFacts(
        imports=tuple(dict.fromkeys([*imports, *(Import(0, path) for path in qualified)])),
        definitions=frozenset(text(node).strip("`") for node in found.get("name", ())),
        mentions=words(data),
        package=next((_plain(text(node)) for node in found.get("package", ())), ""),
    )


def resolver(tree: Tree) -> JvmPackages:
    """Where imports lead in `tree`."""
    return JvmPackages(tree)


def _import(statement: str) -> Import | None:
    found = IMPORTED.match(statement)
    return Import(0, _plain(found.group(1)), ("*",) if found.group(2) else ()) if found else None


def _plain(dotted: str) -> str:
    return re.sub(r"[\s`]", "", dotted)
