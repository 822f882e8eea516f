"""Renders pages: templates without inline scripts, sent with headers that forbid all other content."""

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
    """Returns the headers of a page. `form_targets`: other origins to which a form of the page may be sent."""
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
    """Renders templates; `values` are available on every page."""

    def __init__(self, **values: Any) -> None:
        self._values = values
        self._made: Environment | None = None

    def render(
        self, template: str, status: int = 200, form_targets: tuple[str, ...] = (), **values: Any
    ) -> HTMLResponse:
        """Returns a rendered page as response."""
        text = (
            self._environment().get_template(template).render(**{"you": None, "section": "", **self._values, **values})
        )
        return HTMLResponse(text, status, headers(form_targets))

    def problem(self, status: int, title: str, words: str, **values: Any) -> HTMLResponse:
        """Returns a page that says what is wrong, and what to do next."""
        return self.render("problem.html", status, code=status, title=title, words=words, **values)

    def _environment(self) -> "Environment":
        if self._made is None:
            self._made = _environment()
        return self._made


def _environment() -> "Environment":
    """Created for the first page: a process that only receives webhooks needs no templates."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from bot.web import words

    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= words.FILTERS
    return environment


async def asset(request: Request) -> Response:
    """Serves a style sheet, the script or the icon."""
    known = {path.name: path for path in STATIC.iterdir() if path.suffix in TYPES}
    file = known.get(request.path_params["name"])
    if file is None:
        return Response(b"Not Found", 404, media_type="text/plain")
    kept = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache"}
    return Response(file.read_bytes(), headers=kept, media_type=TYPES[file.suffix])
