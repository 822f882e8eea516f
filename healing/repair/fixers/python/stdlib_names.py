"""Names of the standard library that are commonly used bare, and their modules."""

import ast
import importlib
import importlib.util
import sys
from functools import lru_cache
from pathlib import Path

from healing.graph.names import bound_names
from healing.graph.python.syntax import parse

FROM: dict[str, tuple[str, ...]] = {
    name: modules
    for modules, names in (
        (("pathlib",), "Path PurePath PurePosixPath PureWindowsPath PosixPath"),
        (("collections",), "defaultdict Counter OrderedDict deque namedtuple ChainMap UserDict UserList UserString"),
        (("dataclasses",), "dataclass field fields asdict astuple replace is_dataclass"),
        (("datetime",), "datetime date time timedelta timezone tzinfo UTC"),
        (("decimal",), "Decimal ROUND_HALF_UP ROUND_HALF_EVEN InvalidOperation"),
        (("fractions",), "Fraction"),
        (("enum",), "Enum IntEnum StrEnum Flag IntFlag auto unique"),
        (("abc",), "ABC ABCMeta abstractmethod"),
        (("functools",), "partial wraps reduce lru_cache cached_property cmp_to_key singledispatch total_ordering"),
        (("itertools",), "chain islice product permutations combinations groupby accumulate zip_longest cycle repeat"),
        (("itertools",), "takewhile dropwhile starmap pairwise count tee"),
        (("contextlib",), "contextmanager asynccontextmanager suppress ExitStack closing nullcontext redirect_stdout"),
        (("io",), "StringIO BytesIO TextIOWrapper"),
        (("operator",), "itemgetter attrgetter methodcaller"),
        (("types",), "SimpleNamespace MappingProxyType ModuleType TracebackType FunctionType MethodType"),
        (("uuid",), "uuid4 UUID"),
        (("copy",), "deepcopy"),
        (("textwrap",), "dedent indent"),
        (("concurrent.futures",), "ThreadPoolExecutor ProcessPoolExecutor as_completed"),
        (("threading",), "Thread Lock RLock Event"),
        (("tempfile",), "TemporaryDirectory NamedTemporaryFile mkdtemp"),
        (("urllib.parse",), "urlparse urljoin quote unquote urlencode parse_qs urlsplit"),
        (("unittest",), "TestCase"),
        (("unittest.mock",), "MagicMock Mock AsyncMock patch"),
        (("math",), "sqrt ceil floor isclose"),
        (("time",), "perf_counter sleep monotonic"),
        (
            ("collections.abc", "typing"),
            "Callable Iterable Iterator Generator Mapping MutableMapping Sequence Hashable",
        ),
        (("collections.abc", "typing"), "Sized Container Collection Awaitable Coroutine AsyncIterator AsyncIterable"),
        (("collections.abc", "typing"), "AsyncGenerator MutableSequence MutableSet Reversible KeysView ValuesView"),
        (("typing",), "Any Optional Union List Dict Set Tuple FrozenSet Type ClassVar Final Literal TypeVar Generic"),
        (("typing",), "Protocol NamedTuple TypedDict NoReturn cast overload TYPE_CHECKING Annotated TypeAlias Self"),
        (
            ("typing",),
            "NewType IO TextIO BinaryIO Pattern Match ParamSpec Concatenate get_type_hints runtime_checkable",
        ),
    )
    for name in names.split()
}
LISTED = frozenset(module for modules in FROM.values() for module in modules) | {"re", "_io", "argparse"}
NO_MODULES = {"this", "antigravity", "test", "idlelib", "turtledemo", "lib2to3"}
DATETIME_CLASS = {"now", "utcnow", "strptime", "fromisoformat", "combine", "today", "fromtimestamp", "min", "max"}


def stdlib_imports(name: str, tree: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    """Imports from the standard library that would bind the name that `tree` uses, the likeliest first."""
    imports: list[ast.Import | ast.ImportFrom] = [
        ast.ImportFrom(module=module, names=[ast.alias(name=name)], level=0) for module in FROM.get(name, ())
    ]
    uses = _attributes_used(name, tree)
    if _is_module(name) and uses is not None and _has_all(name, uses):
        plain = ast.Import(names=[ast.alias(name=name)])
        as_class = name == "datetime" and bool(uses & DATETIME_CLASS) and "datetime" not in uses
        imports.insert(1 if as_class and imports else 0, plain)
    return imports


def _is_module(name: str) -> bool:
    return name in sys.stdlib_module_names and not name.startswith("_") and name not in NO_MODULES


def _attributes_used(name: str, tree: ast.Module) -> frozenset[str] | None:
    """The attributes used of `name`; None where it is also used in other ways, as a module would not be."""
    attributes, owned = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name:
            attributes.add(node.attr)
            owned.add(node.value)
    loads = {n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)}
    return frozenset(attributes) if loads and loads == owned else None


def _has_all(module: str, attributes: frozenset[str]) -> bool:
    """Whether the module may have these attributes: a variable called `code` or `token` need not be the module."""
    known = _bound_by(module)
    return known is None or attributes <= known


@lru_cache(maxsize=512)
def _bound_by(module: str) -> frozenset[str] | None:
    """Names bound anywhere in a standard module's source, which is read and never run; None: they can't be
    determined."""
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return None
    origin = spec.origin if spec else None
    if not origin or not origin.endswith(".py"):
        return None
    source = Path(origin).read_bytes()
    tree = parse(source)
    dynamic = any(word in source for word in (b"import *", b"globals()", b"_convert_", b"def __getattr__(name"))
    return None if tree is None or dynamic else bound_names(tree)


def stdlib_attributes(owner: str) -> frozenset[str]:
    """The attributes of a module of the standard library (`math`), or of one of its classes as messages name it
    (`PosixPath`, `datetime.datetime`); empty for anything else."""
    if _is_module(owner):
        return _bound_by(owner) or frozenset(dir(importlib.import_module(owner) if _is_compiled(owner) else None))
    module, _, name = owner.rpartition(".")
    modules = (module,) if module else FROM.get(name, ())
    found = [getattr(importlib.import_module(m), name, None) for m in modules if m in LISTED]
    return frozenset(attribute for cls in found if isinstance(cls, type) for attribute in dir(cls))


@lru_cache(maxsize=512)
def _is_compiled(module: str) -> bool:
    """Whether loading the module runs no code of a file, or it is loaded anyway."""
    if module in sys.modules:
        return True
    spec = importlib.util.find_spec(module)
    return bool(spec and spec.origin and not spec.origin.endswith(".py"))
