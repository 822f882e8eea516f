"""For one parsed file of JavaScript, TypeScript, Go or Rust: its definitions, the function or test around a line, and
the names that a part of it uses."""

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
DEFAULT = "default"  # the name of a module's default export: `export default`, `module.exports =`
MAX_NODES = 200_000  # of one file; further ones are not read


@dataclass(frozen=True)
class Scope:
    """A definition, or the function of a test. `name` ends with its own name, after those of its outer scopes; `first`
    and `last` are 1-based lines."""

    name: tuple[str, ...]
    kind: str
    first: int
    last: int
    takes: tuple[int, int] = (0, 99)  # fewest and most arguments, where overloads differ by them
    body: bool = True  # False for a mere declaration

    def holds(self, other: "Scope") -> bool:
        """Whether the other scope is inside this one."""
        return self is not other and self.first <= other.first and other.last <= self.last


@dataclass(frozen=True)
class Use:
    """A use of a name: its owner (`Shop` in `Shop.total` and `Shop::total`, else empty), and whether it is called."""

    name: str
    owner: str
    called: bool
    arguments: int = -1  # the number of arguments; -1 if unknown
    typed: bool = False  # whether the owner is known to be a type, so that inherited members count


class Scopes:
    """The scopes of one file, which is parsed once."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self._root = parse(GRAMMARS[suffix_of(path)], data).root_node
        self.defined: list[Scope] = []  # definitions that other code can use
        self.functions: list[Scope] = []  # everything with a body of its own, including tests and hooks
        self._read()

    def around(self, line: int) -> Scope | None:
        """The innermost function or test around a line."""
        inside = [scope for scope in self.functions if scope.kind != "hook" and scope.first <= line <= scope.last]
        return min(inside, key=lambda one: one.last - one.first) if inside else None

    def hooks(self, scope: Scope) -> list[Scope]:
        """The hooks that run before that test: those beside it, or beside a suite that it is in."""
        hooks = [each for each in self.functions if each.kind == "hook"]
        suites = [each for each in self.functions if each.kind == "suite"]
        outer = {suite for suite in suites if suite.holds(scope)}
        return [hook for hook in hooks if {suite for suite in suites if suite.holds(hook)} <= outer]

    def named(self, name: str, owner: str = "") -> list[Scope]:
        """The definitions of a name; where its owner is defined here too, only those inside it."""
        scopes = [scope for scope in self.defined if scope.name[-1] == name]
        inside = [scope for scope in scopes if owner in scope.name[:-1]]
        return inside or scopes

    def matching(self, use: Use) -> list[Scope]:
        """The definitions that a use may mean."""
        return self.named(use.name, use.owner)

    def members(self, owner: Scope, use: Use) -> list[Scope]:
        """The type's own definitions of that name, in languages whose uses have a known type."""
        return [scope for scope in self.defined if scope.name == (*owner.name, use.name)]

    def supers(self, owner: Scope) -> tuple[str, ...]:
        """The names of the types that are searched next for the members of a type."""
        return ()

    def uses(self, scope: Scope) -> list[Use]:
        """The names used in a scope, each once, in order."""
        uses: dict[Use, None] = {}
        before, owner = "", ""
        leaves = [leaf for row, leaf in self._leaves if scope.first <= row <= scope.last]
        for at, leaf in enumerate(leaves):
            if leaf.type.endswith("identifier"):
                name, after = text(leaf), text(leaves[at + 1]) if at + 1 < len(leaves) else ""
                uses[Use(name, owner if before in (".", "::", "?.") else "", after in ("(", "{", "!"))] = None
                owner = name
            elif text(leaf) not in (".", "::", "?."):
                owner = ""
            before = text(leaf)
        return list(uses)

    @cached_property
    def _leaves(self) -> list[tuple[int, "Node"]]:
        """The leaf nodes, except comments, with the lines that they begin in."""
        return [(leaf.start_point[0] + 1, leaf) for leaf in _leaves(self._root)]

    def _read(self) -> None:
        waiting: list[tuple[Node, tuple[str, ...], bool]] = [(self._root, (), True)]
        for _ in range(MAX_NODES):
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
        """Adds the scopes of `exports.total = function …`, `Shop.prototype.total = …`, `{ total: () => … }` and of a
        module's default export."""
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
        passed = arguments.named_children if arguments is not None else []
        if not any(argument.type in MADE for argument in passed):
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
    for _ in range(MAX_NODES):
        if not waiting:
            return
        node = waiting.pop()
        if node.child_count:
            waiting += reversed(node.children)
        elif "comment" not in node.type:
            yield node
