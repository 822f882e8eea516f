"""Go: the imports, package, build constraint, declarations and identifiers of a file."""

from collections.abc import Hashable
from dataclasses import dataclass

from healing.graph.facts import Facts, Import
from healing.graph.go.constraints import constraint
from healing.graph.go.packages import GoPackages
from healing.graph.grammars import captures, text
from healing.graph.language import Tree
from healing.graph.words import words

QUERY = """
(package_clause (package_identifier) @package)
(import_spec path: [(interpreted_string_literal (interpreted_string_literal_content) @import)
  (raw_string_literal (raw_string_literal_content) @import)])
(source_file [
  (function_declaration name: (_) @name) (method_declaration name: (_) @name)
  (type_declaration [(type_spec name: (_) @name) (type_alias name: (_) @name)])
  (const_declaration (const_spec name: (identifier) @name))
  (var_declaration [(var_spec name: (identifier) @name) (var_spec_list (var_spec name: (identifier) @name))])
])
"""


@dataclass(frozen=True)
class GoFacts(Facts):
    """The facts of a Go file. `constraint`: the expression after `//go:build`."""

    constraint: str = ""

    @property
    def offer(self) -> Hashable:
        return (self.package, self.constraint, self.definitions)


def read_facts(data: bytes, _suffix: str) -> GoFacts:
    """The facts of a Go file; of a broken one those that can be read. Never raises."""
    captured = captures("go", QUERY, data)
    paths = dict.fromkeys(text(node) for node in captured.get("import", ()))
    return GoFacts(
        imports=tuple(Import(0, path) for path in paths if path),
        definitions=frozenset(text(node) for node in captured.get("name", ())) - {"init", "main", "_", ""},
        mentions=words(data),
        package=next((text(node) for node in captured.get("package", ())), ""),
        constraint=constraint(data),
    )


def resolver(tree: Tree) -> GoPackages:
    """The resolver for `tree`."""
    return GoPackages(tree)
