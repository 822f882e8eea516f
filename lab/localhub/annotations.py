"""GitHub's rules for a check run's annotations: at most 50 per request, all valid; an update appends to existing
ones."""

from typing import Any

from lab.localhub.state import Refused

MAX_AT_ONCE = 50
LEVELS = ("notice", "warning", "failure")
NEEDED = ("path", "start_line", "end_line", "annotation_level", "message")
TEXTS = {"title": 255, "message": 64 << 10, "raw_details": 64 << 10}  # maximum bytes


def refuse_annotations(sent: list[dict[str, Any]]) -> None:
    """Raises Refused(422) with GitHub's message; one invalid annotation makes the whole request fail."""
    if len(sent) > MAX_AT_ONCE:
        raise Refused(
            422, f"Invalid request.\n\nNo more than {MAX_AT_ONCE} items are allowed; {len(sent)} were supplied."
        )
    lacking = [[f'"{key}"' for key in sorted(NEEDED) if key not in annotation] for annotation in sent]
    if any(lacking):
        problems = [f"{', '.join(keys)} {'were' if len(keys) > 1 else 'was'}n't supplied." for keys in lacking if keys]
        raise Refused(422, "Invalid request.\n\n" + "\n".join(problems))
    if not all(_valid(annotation) for annotation in sent):
        raise Refused(422, "Validation Failed", [{"resource": "CheckRun", "code": "invalid", "field": "annotations"}])


def _valid(annotation: dict[str, Any]) -> bool:
    lines = (annotation["start_line"], annotation["end_line"])
    columns = [annotation[key] for key in ("start_column", "end_column") if annotation.get(key) is not None]
    return (
        isinstance(annotation["path"], str)
        and bool(annotation["path"])
        and not annotation["path"].startswith(("/", "./"))
        and all(type(number) is int and number >= 1 for number in (*lines, *columns))
        and lines[0] <= lines[1]
        and (not columns or lines[0] == lines[1])  # columns only on a single line
        and columns == sorted(columns)
        and annotation["annotation_level"] in LEVELS
        and bool(annotation["message"])
        and all(_fits(annotation.get(key), most) for key, most in TEXTS.items())
    )


def _fits(text: object, most: int) -> bool:
    return text is None or (isinstance(text, str) and len(text.encode()) <= most)
