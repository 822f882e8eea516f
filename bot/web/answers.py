"""What every page is: a template rendered without a script in it, with headers that let nothing else in."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDER = Path(__file__).parent
STATIC = FOLDER / "static"
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


def headers(form_targets: tuple[str, ...] = ()) -> dict[str, str]:
    """For every page. `form_targets`: other origins that a form of this page may lead to."""
    forms = " ".join(("'self'", *form_targets))
    return {
        "Content-Security-Policy": (
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
            f"form-action {forms}; base-uri 'none'; frame-ancestors 'none'"
        ),
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
        "Cache-Control": "no-store",
    }


class Pages:
    """Renders templates; `values` of every page are given once."""

    def __init__(self, **values: Any) -> None:
        self._values = values
        self._made: Environment | None = None

    def render(
        self, template: str, status: int = 200, form_targets: tuple[str, ...] = (), **values: Any
    ) -> HTMLResponse:
        """A page as the answer."""
        text = (
            self._environment().get_template(template).render(**{"you": None, "section": "", **self._values, **values})
        )
        return HTMLResponse(text, status, headers(form_targets))

    def problem(self, status: int, title: str, words: str, **values: Any) -> HTMLResponse:
        """A page that says what is wrong, and what to do next."""
        return self.render("problem.html", status, code=status, title=title, words=words, **values)

    def _environment(self) -> "Environment":
        if self._made is None:
            self._made = _environment()
        return self._made


def _environment() -> "Environment":
    """Made when the first page is asked for: a process that only takes webhooks needs no templates."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from bot.web import words

    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= words.FILTERS
    return made


async def asset(request: Request) -> Response:
    """A style sheet, the script or the icon."""
    known = {path.name: path for path in STATIC.iterdir() if path.suffix in TYPES}
    found = known.get(request.path_params["name"])
    if found is None:
        return Response(b"Not Found", 404, media_type="text/plain")
    kept = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache"}
    return Response(found.read_bytes(), headers=kept, media_type=TYPES[found.suffix])
