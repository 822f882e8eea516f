"""What pip says below the first sentence of an error: requirements, hashes, places, a build's last words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from healing.logs.format import Finding, number
from healing.logs.lines import Line
from healing.model import Category, Related

_MOST_PLACES = 2_000
_SHOWN_VERSIONS = 5
_FROM = re.compile(
    r"\s{0,8}(?:Collecting|Processing|Obtaining|Requirement already satisfied:) (?P<asked>\S.{0,300}?) .{0,300}?"
    r"\(from -[rc] (?P<file>[^()]{1,300}) \(line (?P<line>\d{1,9})\)\)"
)
_PLACE = re.compile(r"(?:from )?-[rc] (?P<file>[^()]{1,300}?) \(line (?P<line>\d{1,9})\)")
_INVALID = re.compile(r"\(from line (?P<line>\d{1,9}) of (?P<file>[^()]{1,300})\)")
_CONFLICT = re.compile(r"    (?P<words>.{1,300} (?:requested|depends on) .{1,600})$")
_WANTED = re.compile(r"    (?P<asked>\S{1,200}) from \S{1,600}(?: \(from (?P<from>.{1,300})\))?:?$")
_HASHED = re.compile(r"    (?P<asked>\S{1,200}) (?P<hash>--hash=\S{1,200})$")
_EXPECTED = re.compile(r"\s{4,16}(?:Expected|or) (?P<hash>\w{1,20} [0-9a-f]{6,200})$")
_GOT = re.compile(r"\s{4,16}Got {1,12}(?P<hash>[0-9a-f]{6,200})$")
_VERSIONS = re.compile(r"\(from versions: (?P<all>[^()]{1,100000})\)")
_PINNED = re.compile(r".{0,300}==(?P<version>[\w.!+-]{1,60})")
_NO_REASON = re.compile(r"\[\d{1,6} lines? of output\]|\[end of output\]|note: |hint: |\^{2,}|~{2,}|error: command '")
_REASON = re.compile(r".{0,200}\b(?:error|exception)\b|\S{0,80}(?:Error|Exception|Exit|Interrupt): ", re.IGNORECASE)

Place = tuple[str, int]


@dataclass(frozen=True)
class Complaint:
    """An error of pip and the lines below it."""

    line: Line
    message: str
    lines: tuple[Line, ...]

    @property
    def excerpt(self) -> str:
        return "\n".join((self.line.text, *(line.text for line in self.lines))).rstrip()


class AskedPlaces:
    """In which line of which file a requirement stands, as pip's progress says it."""

    def __init__(self) -> None:
        self._places: dict[str, Place] = {}

    def note(self, text: str) -> None:
        """Remembers the place that a line of progress names; what only another package asks for has none."""
        if " (from -" not in text or len(self._places) >= _MOST_PLACES:
            return
        if match := _FROM.match(text):
            self._places.setdefault(match["asked"], (match["file"], int(match["line"])))

    def of(self, asked: str) -> Place | None:
        """The place of the requirement; None where pip named none."""
        return self._places.get(asked)


def of_one_line(line: Line, message: str, place: Place | None, category: Category) -> Finding:
    """An error that one line says."""
    return Finding(
        tool="pip",
        category=category,
        message=message,
        file=place[0] if place else None,
        line=place[1] if place else None,
        log_line=line.number,
        excerpt=line.text,
    )


def with_versions(message: str, ignored: str) -> str:
    """The message with the last few versions of a long list, and which Python the version that was asked for wants."""
    match = _VERSIONS.search(message)
    if match is None:
        return message
    versions = match["all"].split(", ")
    shown = f"…, {', '.join(versions[-_SHOWN_VERSIONS:])}" if len(versions) > _SHOWN_VERSIONS else match["all"]
    message = f"{message[: match.start()]}(from versions: {shown}){message[match.end() :]}"
    pinned = _PINNED.match(message)
    for entry in ignored.split("; "):
        version, _, wants = entry.partition(" Requires-Python ")
        if pinned and wants and version == pinned["version"]:
            return f"{message}; {version} requires Python {wants}"
    return message


def failed_build(line: Line, message: str, lines: Sequence[Line]) -> Finding:
    """A command that failed while a package was built, with the last thing that it reported. The finding covers its
    own line alone, so that a traceback or a compiler's error below it counts too."""
    texts = [one.text.strip() for one in lines]
    texts = [text for text in texts if text and not _NO_REASON.match(text) and not text.startswith(("│", "╰"))]
    why = next((text for text in reversed(texts) if _REASON.match(text)), texts[-1] if texts else "")
    return Finding(
        tool="pip",
        category=Category.DEPENDENCY,
        message=f"{message}: {why.removeprefix('ERROR: ')}" if why else f"{message}.",
        log_line=line.number,
        excerpt="\n".join((line.text, *(one.text for one in lines[-20:]))),
        score=0.8,
    )


def findings_of(complaint: Complaint, places: AskedPlaces) -> list[Finding]:
    """The errors of a complaint: one for each package whose hash is wrong or missing, else one."""
    message = complaint.message
    if message.startswith("Invalid requirement"):
        return [_invalid(complaint)]
    if message.startswith("Cannot install"):
        return [_conflict(complaint, places)]
    sentence = message.partition(". ")[0].rstrip(".")
    if message.startswith("THESE PACKAGES"):
        return _mismatches(complaint, sentence) or [_finding(complaint, message)]
    asked = [m for line in complaint.lines if (m := _HASHED.match(line.text) or _WANTED.match(line.text))]
    if message.startswith("In --require-hashes mode"):
        sentence = sentence.partition(". ")[0].removesuffix(". These do not:")
    found = []
    for match in asked:
        groups = match.groupdict()
        place = _place(groups.get("from") or "") or places.of(match["asked"])
        wanted = f"{match['asked']} {groups['hash']}" if groups.get("hash") else None
        found.append(_finding(complaint, f"{sentence}: {match['asked']}", place, wanted))
    return found or [_finding(complaint, message)]


def _finding(complaint: Complaint, message: str, place: Place | None = None, suggestion: str | None = None) -> Finding:
    return Finding(
        tool="pip",
        category=Category.DEPENDENCY,
        message=message,
        file=place[0] if place else None,
        line=place[1] if place else None,
        log_line=complaint.line.number,
        span=(complaint.line.number, complaint.lines[-1].number if complaint.lines else complaint.line.number),
        suggestion=suggestion,
        excerpt=complaint.excerpt,
    )


def _invalid(complaint: Complaint) -> Finding:
    """`Invalid requirement: 'click=8' (from line 3 of requirements.txt)`; newer versions put the place below it."""
    hint = next((line.text for line in complaint.lines if line.text.startswith("Hint: ")), None)
    match = _INVALID.search(complaint.excerpt)
    place = (match["file"], number(match["line"]) or 1) if match else None
    return _finding(complaint, complaint.message, place, hint.removeprefix("Hint: ") if hint else None)


def _conflict(complaint: Complaint, places: AskedPlaces) -> Finding:
    """`Cannot install …`, with who asks for what, and the lines of the files where the user does."""
    who = [match["words"] for line in complaint.lines if (match := _CONFLICT.match(line.text))]
    named = [place for match in _PLACE.finditer(complaint.message) if (place := _place(match[0]))]
    for words in who:
        asked = words.rpartition(" requested ")[2].removeprefix("(constraint) ") if " requested " in words else ""
        if place := places.of(asked):
            named.append(place)
    spots = list(dict.fromkeys(named))
    message = complaint.message.rstrip(".") + (f": {'; '.join(who)}" if who else "")
    finding = _finding(complaint, message, spots[0] if spots else None)
    related = tuple(Related(file=file, line=line, message="asked for here") for file, line in spots[1:])
    return replace(finding, related=related)


def _mismatches(complaint: Complaint, sentence: str) -> list[Finding]:
    """One error for each package, with the hash of the requirements file and that of the download."""
    found: list[Finding] = []
    asked, place, expected = "", None, ""
    for line in complaint.lines:
        if match := _WANTED.match(line.text):
            asked, place, expected = match["asked"], _place(match["from"] or ""), ""
        elif match := _EXPECTED.match(line.text):
            expected = f"{expected} or {match['hash']}" if expected else match["hash"]
        elif (match := _GOT.match(line.text)) and asked:
            words = f"{sentence}: {asked}: expected {expected}, got {match['hash']}"
            found.append(_finding(complaint, words, place))
    return found


def _place(text: str) -> Place | None:
    match = _PLACE.search(text)
    return (match["file"], number(match["line"]) or 1) if match else None
