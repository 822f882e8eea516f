"""Java and Kotlin, which can use each other: a file's package, imports, declarations and identifiers."""

import re
from collections.abc import Hashable
from dataclasses import dataclass

from healing.graph.facts import Facts, Import
from healing.graph.grammars import captures, text
from healing.graph.jvm.packages import JvmPackages
from healing.graph.language import Tree
from healing.graph.words import without_strings, words

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
    """The facts of a Java or Kotlin file, which others in its package use without an import."""

    @property
    def offer(self) -> Hashable:
        return (self.package, self.definitions)


def read_facts(data: bytes, suffix: str) -> JvmFacts:
    """The facts of a Java or Kotlin file; of a broken one those that can be read. Never raises."""
    captured = captures("java", JAVA, data) if suffix == ".java" else captures("kotlin", KOTLIN, data)
    imports = [item for node in captured.get("import", ()) if (item := _import(text(node)))]
    qualified = sorted({match.decode("utf-8", "replace") for match in QUALIFIED.findall(without_strings(data))})
    return JvmFacts(
        imports=tuple(dict.fromkeys([*imports, *(Import(0, path) for path in qualified)])),
        definitions=frozenset(text(node).strip("`") for node in captured.get("name", ())),
        mentions=words(data),
        package=next((_plain(text(node)) for node in captured.get("package", ())), ""),
    )


def resolver(tree: Tree) -> JvmPackages:
    """The resolver for `tree`."""
    return JvmPackages(tree)


def _import(statement: str) -> Import | None:
    match = IMPORTED.match(statement)
    return Import(0, _plain(match.group(1)), ("*",) if match.group(2) else ()) if match else None


def _plain(dotted: str) -> str:
    return re.sub(r"[\s`]", "", dotted)
