"""TypeScript and JavaScript: the specifiers that a file imports, requires and re-exports, and its declarations."""

from healing.graph.facts import Facts, Import
from healing.graph.grammars import captures, text
from healing.graph.javascript.resolving import Specifiers
from healing.graph.language import Tree

GRAMMARS = {".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "tsx"}
IMPORTS = """
(import_statement source: (string (string_fragment) @import))
(export_statement source: (string (string_fragment) @import))
(call_expression function: (import) arguments: (arguments . [(string (string_fragment) @import)
  (template_string . (string_fragment) @import .)]))
((call_expression function: (identifier) @called arguments: (arguments . (string (string_fragment) @import) .))
  (#eq? @called "require"))
"""
DECLARED = """
(function_declaration name: (_) @name) (generator_function_declaration name: (_) @name)
(class_declaration name: (_) @name)
(lexical_declaration (variable_declarator name: (identifier) @name))
(variable_declaration (variable_declarator name: (identifier) @name))
"""
TYPES = """
(abstract_class_declaration name: (_) @name) (interface_declaration name: (_) @name)
(type_alias_declaration name: (_) @name) (enum_declaration name: (_) @name)
(function_signature name: (_) @name) (internal_module name: (identifier) @name)
"""
TYPED_IMPORTS = "(import_require_clause source: (string (string_fragment) @import))"


def _at_top(declared: str) -> str:
    return f"(program [{declared}]) (export_statement declaration: [{declared}])"


SCRIPT_QUERY = IMPORTS + _at_top(DECLARED)
TYPED_QUERY = IMPORTS + TYPED_IMPORTS + _at_top(DECLARED + TYPES) + f"(ambient_declaration [{DECLARED + TYPES}])"


def read_facts(data: bytes, suffix: str) -> Facts:
    """Specifiers as written, and top-level declarations; of a broken file those that can be read. Never raises."""
    grammar = GRAMMARS.get(suffix, "javascript")
    captured = captures(grammar, SCRIPT_QUERY if grammar == "javascript" else TYPED_QUERY, data)
    specifiers = dict.fromkeys(text(node) for node in captured.get("import", ()))
    imports = tuple(Import(0, specifier) for specifier in specifiers if specifier)
    return Facts(imports, frozenset(text(node) for node in captured.get("name", ())))


def resolver(tree: Tree) -> Specifiers:
    """The resolver for `tree`."""
    return Specifiers(tree)
