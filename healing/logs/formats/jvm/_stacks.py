"""JVM stack traces: frames, causes, the frame to blame, and the values of a failed assertion. Shared by the JVM
formats."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from healing.logs.paths import Paths
from healing.model import Category, Related

_FRAME = re.compile(
    r"[\s|>]{0,60}at (?:[\w.@$-]{0,60}//?)?(?:[\w.-]{1,60}(?:@[\w.-]{1,40})?/)?(?P<method>[\w$][^()\n]{0,400})"
    r"\((?P<file>[\w$. -]{1,200}\.\w{1,8}):(?P<line>\d{1,9})\)"
)
_SHORT = re.compile(r"[\s|>]{0,60}at (?P<file>[\w$-]{1,200}\.(?:java|kt|kts|scala|groovy|clj)):(?P<line>\d{1,9})$")
_ANY = re.compile(
    r"[\s|>]{0,60}(?:at \S.{0,500}\(.{0,200}\)|at \S{1,300}:\d{1,9}$|\.\.\. \d{1,6} (?:more|common|elided)"
    r"|\[(?:INFO|ERROR)\]\s{0,8}at )"
)
_HEAD = re.compile(
    r"[\s|>]{0,60}(?P<cause>(?:Caused by|Suppressed|Cause"
    r"|Wrapped by): ?)?(?P<name>(?:[a-z_][\w$]{0,80}\.){0,20}[A-Z][\w$]{0,150})"
    r"(?:: (?P<message>.*)|:?)$"
)
_LIBRARY = re.compile(
    r"(?:java|javax|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy|org\.(?:junit|opentest4j|assertj|hamcrest"
    r"|mockito|gradle"
    r"|testng|apache\.(?:maven|tools|groovy)|codehaus|spockframework|scalatest|specs2|scalacheck|jetbrains"
    r"|springframework|hibernate"
    r"|powermock|eclipse\.jetty|easymock)|munit|utest|sbt|zio|worker|io\.(?:kotest|mockk|netty|quarkus)|reactor"
    r"|net\.bytebuddy"
    r"|com\.(?:google\.(?:common|inject)|intellij|fasterxml|zaxxer)|junit|kotest|akka)\."
)
_PAIRS = tuple(
    re.compile(pattern, re.DOTALL)
    for pattern in (
        r"Expected: (?P<expected>[^\n]{1,800})\n\s{0,12}but: (?:was )?(?P<actual>[^\n]{1,800})",
        r"expected: ?<(?P<expected>.{0,800}?)> but was: ?<(?P<actual>.{0,800}?)>(?=\s|$)",
        r"expected: ?<(?P<expected>.{0,800}?)> but was: ?<?(?P<actual>[^\n]{0,800}?)>?$",
        r"expected \[(?P<expected>.{0,800}?)\] but found \[(?P<actual>.{0,800}?)\]",
        r"Expected <(?P<expected>.{0,800}?)>, actual <(?P<actual>.{0,800}?)>",
        r"(?i:expecting actual|expecting)(?: object)?:\s{1,8}(?P<actual>\S[^\n]{0,800})\n\s{0,8}to (?:be equal to"
        r"|be|contain|start with)"
        r":?\s{1,8}(?P<expected>\S[^\n]{0,800})",
        r"(?i:expected)\s?: (?P<expected>[^\n]{1,800})\n\s{0,12}(?:but )?(?:was|got)\s?: (?P<actual>[^\n]{1,800})",
        r"expected:<(?P<expected>.{0,800}?)> but was:<(?P<actual>.{0,800}?)>",
    )
)
_FRAMES, _LINES = 60, 12


@dataclass(frozen=True, slots=True)
class JvmFrame:
    """One stack frame; `owner` is the class and method, `file` the path as far as it follows from the package."""

    file: str
    line: int
    owner: str = ""

    def related(self) -> Related:
        """The frame as a place that belongs to an error."""
        return Related(file=self.file, line=self.line, message=f"in {self.owner}" if self.owner else "")


@dataclass(slots=True)
class JvmException:
    """An exception as printed: its class, its message, frames innermost first, and its causes."""

    name: str = ""
    message: str = ""
    frames: list[JvmFrame] = field(default_factory=list)
    causes: list[str] = field(default_factory=list)
    cause_frames: list[JvmFrame] = field(default_factory=list)

    @property
    def words(self) -> str:
        """Class and message: `java.lang.Error: no till`."""
        return f"{self.name}: {self.message}" if self.name and self.message else self.name or self.message


def frame(text: str) -> JvmFrame | None:
    """The frame in a line of a stack; None if it has none, or one without a source file."""
    if len(text) > 2000 or "at " not in text[:64]:
        return None
    if match := _FRAME.match(text):
        return JvmFrame(_path(match["method"], match["file"]), int(match["line"]), match["method"])
    if match := _SHORT.match(text):
        return JvmFrame(match["file"], int(match["line"]))
    return None


def in_stack(text: str) -> bool:
    """Whether a line belongs to a stack: a frame of any kind, or the number of omitted ones."""
    return bool(_ANY.match(text))


def head(text: str) -> re.Match[str] | None:
    """The match of an exception's first line, with groups cause, name and message; None for other lines."""
    match = _HEAD.match(text) if len(text) < 4000 else None
    return match if match and (match["cause"] or "." in match["name"] or _NAMED.search(match["name"])) else None


_NAMED = re.compile(r"(?:Error|Exception|Failure|Throwable|Failed|Violation)$")


def _path(method: str, file: str) -> str:
    """The file below its package's folders: `shop.cart.CartTest.adds` in CartTest.java is shop/cart/CartTest.java."""
    packages = []
    for part in method.split(".")[:-1]:
        if not part[:1].islower() or "$" in part:
            break
        packages.append(part)
    return "/".join([*packages, file])


def parse_exception(lines: Sequence[str]) -> JvmException:
    """The exception in the lines of a stack."""
    thrown = JvmException()
    message_lines: list[str] = []
    caused = False
    for text in lines:
        if place := frame(text):
            frames = thrown.cause_frames if caused else thrown.frames
            if len(frames) < _FRAMES:
                frames.append(place)
        elif (match := head(text)) and match["cause"]:
            caused = True
            thrown.causes.append(f"{match['name']}: {match['message']}" if match["message"] else match["name"])
        elif not caused and not thrown.frames and not in_stack(text) and len(message_lines) < _LINES:
            message_lines.append(text.strip())
    _name(thrown, message_lines)
    return thrown


def _name(thrown: JvmException, message_lines: list[str]) -> None:
    """Sets class and message: the class begins the first line, the message may continue below."""
    first = head(message_lines[0]) if message_lines else None
    if first:
        thrown.name = first["name"]
        message_lines = [first["message"] or "", *message_lines[1:]]
    thrown.message = "\n".join(text for text in message_lines if text).strip()


def blame(thrown: JvmException, paths: Paths) -> JvmFrame | None:
    """The innermost frame inside the repository: of the exception itself, else of its causes."""
    frames = [f for f in (*thrown.frames, *thrown.cause_frames) if not _LIBRARY.match(f.owner)]
    known = next((located for f in frames if (located := _known(f, paths))), None)
    return known or next((f for f in frames if paths.inside(f.file)), None)


def _known(place: JvmFrame, paths: Paths) -> JvmFrame | None:
    """The frame with its path in the repository, if its files are known: Kotlin files may be outside package
    folders."""
    for file in (place.file, place.file.rpartition("/")[2]):
        path = paths.repository(file)
        if path and path != file:
            return JvmFrame(path, place.line, place.owner)
    return None


def comparison(words: str) -> tuple[str | None, str | None]:
    """(expected, actual) if the message of a failed assertion has both."""
    for pattern in _PAIRS:
        if match := pattern.search(words[:4000]):
            return match["expected"].strip(), match["actual"].strip()
    return None, None


def category(name: str, otherwise: Category) -> Category:
    """The category of an exception by its class."""
    if name.endswith(("ClassNotFoundException", "NoClassDefFoundError", "NoSuchMethodError", "UnsatisfiedLinkError")):
        return Category.IMPORT
    if name.endswith("OutOfMemoryError"):
        return Category.INFRASTRUCTURE
    return otherwise
