"""For one parsed file of Java or Kotlin: its definitions, the test or method around a line, and the names that a part
of it uses. Variables' types are taken into account: `basket.add(9)` is the method of the class of `basket`."""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from healing.graph.grammars import text
from healing.graph.jvm.variables import class_of, plain, variables
from healing.graph.scopes import MAX_NODES, Scope, Scopes, Use

if TYPE_CHECKING:
    from tree_sitter import Node

SUFFIXES = (".java", ".kt", ".kts")
TYPES = frozenset({
    "class_declaration", "interface_declaration", "enum_declaration", "record_declaration",
    "annotation_type_declaration", "object_declaration",
})  # fmt: skip
METHODS = frozenset({"method_declaration", "function_declaration"})
MAKERS = frozenset({
    "constructor_declaration", "compact_constructor_declaration", "secondary_constructor", "anonymous_initializer",
    "static_initializer",
})  # fmt: skip
FIELDS = frozenset({"field_declaration", "constant_declaration", "property_declaration"})
LEADING = FIELDS | {"enum_constant", "enum_entry", "line_comment", "block_comment", "modifiers"}
SUPERS = frozenset({"superclass", "super_interfaces", "extends_interfaces", "delegation_specifiers"})
TESTS = frozenset({"Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Property"})
HOOKS = frozenset({"Before", "BeforeEach", "BeforeAll", "BeforeClass", "BeforeTest", "BeforeMethod"})
MAKER = "constructor"  # the name of a class's constructors, and of its head with the first fields
HEAD = 40  # lines of a class's head with the fields before its methods
LOOKED_AT = 400  # tokens after a name that are read to count its arguments
MANY = 99
JOINS = (".", "?.", "::", "!!")
ALIAS = re.compile(r"import\s+([\w.`]+)\s+as\s+([\w`]+)")


class JvmScopes(Scopes):
    """The scopes of one file, which is parsed once."""

    def around(self, line: int) -> Scope | None:
        """The innermost method, test, hook, field or class head around a line."""
        inside = [scope for scope in (*self.functions, *self._fields) if scope.first <= line <= scope.last]
        return min(inside, key=lambda one: one.last - one.first) if inside else None

    def hooks(self, scope: Scope) -> list[Scope]:
        """The hooks that run before that test, in its class and the classes around it."""
        owners = [scope.name[:end] for end in range(1, len(scope.name))]
        return [hook for hook in self.functions if hook.kind == "hook" and hook.name[:-1] in owners]

    def matching(self, use: Use) -> list[Scope]:
        """The definitions that a use may mean: overloads for its number of arguments; for a field the class head."""
        return list(
            dict.fromkeys(self._fields.get(scope, scope) for scope in fitting(self.named(use.name, use.owner), use))
        )

    def members(self, owner: Scope, use: Use) -> list[Scope]:
        """The type's own definitions of that name that match the use."""
        scopes = [scope for scope in self.defined if scope.name == (*owner.name, use.name) and owner.holds(scope)]
        return list(dict.fromkeys(self._fields.get(scope, scope) for scope in fitting(scopes, use)))

    def supers(self, owner: Scope) -> tuple[str, ...]:
        """The names of the types that a type extends and implements, then of the type around it."""
        return (*self._supers.get(owner.name, ()), *owner.name[-2:-1])

    def uses(self, scope: Scope) -> list[Use]:
        """The names used in a scope, each once, in order; a test's superclasses first."""
        leaves = [leaf for row, leaf in self._leaves if scope.first <= row <= scope.last]
        words = [text(leaf).strip("`") for leaf in leaves]
        types = {outer.name[-1] for outer in self._types}
        own = next((name for name in reversed(scope.name) if name in types), "")
        known = self._known(scope)
        uses: dict[Use, None] = {}
        if scope.kind in ("test", "hook"):
            uses |= {
                Use(name, "", True): None for outer in self._types if outer.holds(scope) for name in self.supers(outer)
            }
        holder, itself = "", [name for name in ("", *scope.name) if name != MAKER][-1]
        for at, (leaf, word) in enumerate(zip(leaves, words, strict=True)):
            if leaf.type in ("this", "super"):
                above = next((s for outer in self._types if outer.name[-1] == own for s in self.supers(outer)), "")
                holder = above if leaf.type == "super" else own
            elif leaf.type.endswith("identifier") and word == itself:
                itself = ""  # its own declaration
            elif leaf.type.endswith("identifier"):
                name = self._aliases.get(word, word)
                joined = bool(at) and words[at - 1] in JOINS
                called, arguments = _arguments(words, at)
                owner = holder if joined else "" if name[:1].isupper() or name in known else own
                called = called or (not joined and (own, name) in self._own)
                uses[Use(name, owner, called, arguments, bool(owner))] = None
                held = not joined or leaves[at - 2].type == "this"
                holder = name if name[:1].isupper() else known.get(name, "") if held else ""
            elif word not in JOINS:
                holder = ""
        return list(uses)

    def _known(self, scope: Scope) -> dict[str, str]:
        """The types of the variables of a scope, and of the file's fields."""
        inside = {name: kind for row, name, kind in self._variables if scope.first <= row <= scope.last}
        return {**self._held, **inside}

    @cached_property
    def _variables(self) -> list[tuple[int, str, str]]:
        return list(variables(self._root, MAX_NODES))

    @cached_property
    def _held(self) -> dict[str, str]:
        bodies = [scope for scope in self.functions if scope.kind != "head"]
        rows = {row for scope in bodies for row in range(scope.first, min(scope.last, scope.first + MAX_NODES) + 1)}
        return {name: kind for row, name, kind in self._variables if row not in rows}

    @cached_property
    def _own(self) -> set[tuple[str, str]]:
        """(class, field) pairs, for fields that a method uses without an owner."""
        return {(field.name[-2], field.name[-1]) for field in self._fields if len(field.name) > 1}

    def _read(self) -> None:
        self._types: list[Scope] = []
        self._supers: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._fields: dict[Scope, Scope] = {}  # field → the scope that is shown for it
        self._aliases: dict[str, str] = {}
        waiting: list[tuple[Node, tuple[str, ...], Scope | None]] = [(self._root, (), None)]
        for _ in range(MAX_NODES):
            if not waiting:
                return
            node, outer, head = waiting.pop()
            name = text(node.child_by_field_name("name")).strip("`")
            if node.type in TYPES and name:
                outer = (*outer, name)
                head = self._type(node, outer)
            elif (node.type in METHODS and name) or node.type in MAKERS:
                self._method(node, (*outer, MAKER if node.type in MAKERS else name))
                continue
            elif node.type in FIELDS:
                self._field(node, outer, head)
                continue
            elif node.type == "import" and (match := ALIAS.match(text(node))):
                self._aliases[match[2].strip("`")] = match[1].strip("`").rpartition(".")[2]
            waiting += [(child, outer, head) for child in reversed(node.children)]

    def _type(self, node: "Node", name: tuple[str, ...]) -> Scope:
        body = next((child for child in node.named_children if child.type.endswith("_body")), None)
        first, last = _lines(node)
        scope = Scope(name, "class_declaration", first, last)
        self.defined.append(scope)
        self._types.append(scope)
        above = [part for child in node.named_children if child.type in SUPERS for part in _parts(child)]
        self._supers[name] = tuple(dict.fromkeys(class_name for part in above if (class_name := class_of(text(part)))))
        end = body.start_point[0] + 1 if body is not None else last
        for child in body.named_children if body is not None else ():
            if child.type not in LEADING or child.end_point[0] + 1 - first > HEAD:
                break
            end = max(end, child.end_point[0] + 1)
        head = Scope((*name, MAKER), "head", first, min(end, last))
        self.functions.append(head)
        return head

    def _method(self, node: "Node", name: tuple[str, ...]) -> None:
        marks = _annotations(node)
        kind = "test" if marks & TESTS else "hook" if marks & HOOKS else "method_declaration"
        if kind == "method_declaration" and name[-1] == "setUp":
            kind = "hook"
        first, last = _lines(node)
        body = any(child.type in ("block", "function_body", "constructor_body") for child in node.named_children)
        scope = Scope(name, kind, first, last, _takes(node), body)
        self.functions.append(scope)
        if name[-1] != MAKER:
            self.defined.append(scope)

    def _field(self, node: "Node", outer: tuple[str, ...], head: Scope | None) -> None:
        first, last = _lines(node)
        declared = [
            declarator
            for declarator in node.named_children
            if declarator.type in ("variable_declarator", "variable_declaration")
        ]
        for declarator in declared:
            name = plain(declarator.child_by_field_name("name") or next(iter(declarator.named_children), None))
            scope = Scope((*outer, name), "method_declaration", first, last)
            inside = head is not None and head.first <= first and last <= head.last
            if name:
                self.defined.append(scope)
                self._fields[scope] = head if inside and head is not None else scope


def fitting(found: list[Scope], use: Use) -> list[Scope]:
    """The scopes that can be called with the use's number of arguments; all if none can or the number is unknown."""
    fit = [scope for scope in found if scope.takes[0] <= use.arguments <= scope.takes[1]] if use.arguments >= 0 else []
    return fit or found


def _lines(node: "Node") -> tuple[int, int]:
    return node.start_point[0] + 1, node.end_point[0] + 1


def _parts(node: "Node") -> Iterator["Node"]:
    """The types in a superclass or interface clause."""
    for child in node.named_children:
        yield from child.named_children if child.type == "type_list" else (child,)


def _annotations(node: "Node") -> set[str]:
    modifiers = next((child for child in node.named_children if child.type == "modifiers"), None)
    marks = [child for child in modifiers.named_children if "annotation" in child.type] if modifiers is not None else []
    return {class_of(text(child).lstrip("@")) for child in marks}


def _takes(node: "Node") -> tuple[int, int]:
    """The fewest and most arguments that a method takes, with default values and varargs taken into account."""
    parameters = next(
        (child for child in node.named_children if child.type.endswith("_parameters") and "type" not in child.type),
        None,
    )
    if parameters is None:
        return 0, MANY
    count = sum(child.type in ("formal_parameter", "parameter") for child in parameters.named_children)
    if any(
        child.type == "spread_parameter" or b"vararg" in (child.text or b"")[:40] for child in parameters.named_children
    ):
        return 0, MANY
    return count - sum(child.type == "=" for child in parameters.children), count


def _arguments(words: list[str], at: int) -> tuple[bool, int]:
    """Whether the name at `at` is called, and with how many arguments; -1 if that is unknown."""
    end = min(len(words), at + LOOKED_AT)
    start = at + 1
    if start < end and words[start] == "<":
        depth = 0
        for word in words[start : min(end, at + 40)]:
            depth += (word == "<") - word.count(">")
            start += 1
            if depth <= 0 or word in (";", "{", "("):
                break
    if start >= end or words[start] not in ("(", "{"):
        return bool(at) and words[at - 1] == "::", -1
    if words[start] == "{":
        return True, -1
    depth, commas = 0, 0
    for here in range(start, end):
        depth += (words[here] in ("(", "[", "{")) - (words[here] in (")", "]", "}"))
        commas += depth == 1 and words[here] == ","
        if not depth:
            behind = words[here + 1] if here + 1 < len(words) else ""
            return True, -1 if behind == "{" else commas + (here > start + 1)
    return True, -1
