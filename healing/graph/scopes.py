"""What one parsed file of JavaScript, TypeScript, Go or Rust defines, which function or test is around a line, and
which names a piece of it uses."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from healing.graph.grammars import parse, text
from healing.graph.language import suffix_of
from healing.graph.outlines import GRAMMARS

if TYPE_CHECKING:
    from tree_sitter import Node

PARSED = frozenset({".ts", ".mts", ".cts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".go", ".rs"})
FUNCTIONS = frozenset({
    "function_declaration", "generator_function_declaration", "method_definition", "method_declaration",
    "function_item",
})  # fmt: skip
TYPES = frozenset({
    "class_declaration", "abstract_class_declaration", "interface_declaration", "enum_declaration",
    "type_alias_declaration", "type_spec", "struct_item", "enum_item", "trait_item", "type_item", "union_item",
})  # fmt: skip
VALUES = frozenset({"const_item", "static_item", "const_spec", "var_spec", "macro_definition", "variable_declarator"})
OUTER = frozenset({"class_declaration", "abstract_class_declaration", "impl_item", "trait_item", "mod_item"})
MADE = frozenset({"arrow_function", "function_expression", "generator_function", "class"})  # functions without a name
TESTS = frozenset({"it", "test", "specify", "bench"})
HOOKS = frozenset({"before", "beforeEach", "beforeAll", "setup", "suiteSetup"})
SUITES = frozenset({"describe", "suite", "context"})
DEFAULT = "default"  # what a module gives where no name is asked for: `export default`, `module.exports =`
MOST_NODES = 200_000  # of one file; further ones are not looked at


@dataclass(frozen=True)
class Scope:
    """A definition, or the function of a test: its name last, after the names of what it stands in; 1-based lines."""

    name: tuple[str, ...]
    kind: str
    first: int
    last: int
    takes: tuple[int, int] = (0, 99)  # arguments, where overloads are told apart by them
    body: bool = True  # what is only declared has none

    def holds(self, other: "Scope") -> bool:
        """Whether the other one lies inside."""
        return self is not other and self.first <= other.first and other.last <= self.last


@dataclass(frozen=True)
class Use:
    """A name that is used: of what (`Shop` in `Shop.total` and `Shop::total`), and whether it is called."""

    name: str
    owner: str
    called: bool
    arguments: int = -1  # how many; -1 where it isn't known
    typed: bool = False  # the owner is known to be a type: what it inherits is its own


class Scopes:
    """Of one file, parsed once."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self._root = parse(GRAMMARS[suffix_of(path)], data).root_node
        self.defined: list[Scope] = []  # what other code can use
        self.functions: list[Scope] = []  # everything with a body of its own, tests and hooks among them
        self._read()

    def around(self, line: int) -> Scope | None:
        """The innermost function or test around a line."""
        inside = [one for one in self.functions if one.kind != "hook" and one.first <= line <= one.last]
        return min(inside, key=lambda one: one.last - one.first) if inside else None

    def hooks(self, scope: Scope) -> list[Scope]:
        """What runs before that test: hooks beside it, or beside a suite that it is in."""
        hooks = [one for one in self.functions if one.kind == "hook"]
        suites = [one for one in self.functions if one.kind == "suite"]
        mine = {one for one in suites if one.holds(scope)}
        return [one for one in hooks if {suite for suite in suites if suite.holds(one)} <= mine]

    def named(self, name: str, owner: str = "") -> list[Scope]:
        """The definitions of a name; where its owner is defined here too, those inside of that."""
        found = [one for one in self.defined if one.name[-1] == name]
        inside = [one for one in found if owner in one.name[:-1]]
        return inside or found

    def matching(self, use: Use) -> list[Scope]:
        """The definitions that a use may mean."""
        return self.named(use.name, use.owner)

    def members(self, owner: Scope, use: Use) -> list[Scope]:
        """What a type itself defines under that name, in languages whose uses tell the type."""
        return [one for one in self.defined if one.name == (*owner.name, use.name)]

    def supers(self, owner: Scope) -> tuple[str, ...]:
        """The names of the types in which the members of a type are looked for next."""
        return ()

    def uses(self, scope: Scope) -> list[Use]:
        """The names used in a scope, each once, in order."""
        found: dict[Use, None] = {}
        before, owner = "", ""
        leaves = [leaf for row, leaf in self._leaves if scope.first <= row <= scope.last]
        for at, leaf in enumerate(leaves):
            if leaf.type.endswith("identifier"):
                name, after = text(leaf), text(leaves[at + 1]) if at + 1 < len(leaves) else ""
                found[Use(name, owner if before in (".", "::", "?.") else "", after in ("(", "{", "!"))] = None
                owner = name
            elif text(leaf) not in (".", "::", "?."):
                owner = ""
            before = text(leaf)
        return list(found)

    @cached_property
    def _leaves(self) -> list[tuple[int, "Node"]]:
        """With the lines that they begin in; comments are none."""
        return [(leaf.start_point[0] + 1, leaf) for leaf in _leaves(self._root)]

    def _read(self) -> None:
        waiting: list[tuple[Node, tuple[str, ...], bool]] = [(self._root, (), True)]
        for _ in range(MOST_NODES):
            if not waiting:
                return
            node, outer, top = waiting.pop()
            inside, name = outer, _name(node)
            if name and (node.type in FUNCTIONS | TYPES or ((top or _made(node)) and node.type in VALUES)):
                self._define(node, (*outer, name))
            elif node.type in ("assignment_expression", "export_statement", "pair"):
                self._assigned(node, outer)
            elif node.type == "call_expression":
                self._test(node)
            if node.type in OUTER and name:
                inside = (*outer, name)
            below = top and node.type not in FUNCTIONS | MADE
            waiting += [(child, inside, below) for child in reversed(node.children)]

    def _define(self, node: "Node", name: tuple[str, ...]) -> None:
        whole = node
        while whole.parent is not None and whole.parent.type in ("export_statement", "lexical_declaration"):
            whole = whole.parent
        first = whole
        while (above := first.prev_named_sibling) is not None and above.type in ("attribute_item", "decorator"):
            first = above
        scope = Scope(name, node.type, first.start_point[0] + 1, whole.end_point[0] + 1)
        self.defined.append(scope)
        if node.type in FUNCTIONS or _made(node):
            self.functions.append(scope)

    def _assigned(self, node: "Node", outer: tuple[str, ...]) -> None:
        """`exports.total = function …`, `Shop.prototype.total = …`, `{ total: () => … }` and what a module exports by
        default."""
        value = node.child_by_field_name("right") or node.child_by_field_name("value")
        if value is None:
            return
        left = node.child_by_field_name("left") or node.child_by_field_name("key")
        parts = text(left).split(".") if left is not None else [DEFAULT]
        whole = parts == ["module", "exports"] or left is None
        if value.type not in MADE and not (whole and value.type in ("object", "call_expression")):
            return
        own = text(value.child_by_field_name("name"))
        scope = Scope((*outer, DEFAULT if whole else parts[-1]), value.type,
                      node.start_point[0] + 1, node.end_point[0] + 1)  # fmt: skip
        self.defined.append(scope)
        if own and own != scope.name[-1]:
            self.defined.append(Scope((*outer, own), value.type, scope.first, scope.last))
        if value.type in MADE:
            self.functions.append(scope)

    def _test(self, node: "Node") -> None:
        arguments = node.child_by_field_name("arguments")
        given = arguments.named_children if arguments is not None else []
        if not any(one.type in MADE for one in given):
            return
        called: Node | None = node
        while called is not None and called.type in ("call_expression", "member_expression"):
            called = called.child_by_field_name("function") or called.child_by_field_name("object")
        name = text(called)
        kind = "test" if name in TESTS else "hook" if name in HOOKS else "suite" if name in SUITES else ""
        if kind:
            self.functions.append(Scope((name,), kind, node.start_point[0] + 1, node.end_point[0] + 1))


def _made(node: "Node") -> bool:
    value = node.child_by_field_name("value")
    return value is not None and value.type in MADE


def _name(node: "Node") -> str:
    return text(node.child_by_field_name("name") or node.child_by_field_name("type")).partition("<")[0]


def _leaves(root: "Node") -> Iterator["Node"]:
    waiting = [root]
    for _ in range(MOST_NODES):
        if not waiting:
            return
        node = waiting.pop()
        if node.child_count:
            waiting += reversed(node.children)
        elif "comment" not in node.type:
            yield node
