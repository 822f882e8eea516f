"""Reads forms, up to a length limit, and only from this site's own pages."""

import hmac
from urllib.parse import parse_qs, urlsplit

from starlette.requests import ClientDisconnect, Request

MAX_LENGTH = 64 * 1024
MAX_FIELDS = 100


class FormRefused(Exception):
    """The form is refused; the text says why."""


class Form:
    """The fields of a form from one of this site's own pages."""

    def __init__(self, fields: dict[str, list[str]]) -> None:
        self._fields = fields

    def first(self, name: str) -> str:
        """Returns the field; empty if it was not sent."""
        return next(iter(self.all(name)), "")

    def all(self, name: str) -> tuple[str, ...]:
        """Returns all fields of this name, in order."""
        return tuple(self._fields.get(name, ()))


async def read_form(request: Request, public_url: str, csrf: str) -> Form:
    """Reads the form of a page that was rendered for this session, with its `csrf` token. Raises FormRefused."""
    form = await read_own_form(request, public_url)
    if not same(form.first("csrf"), csrf):
        raise FormRefused("This form is not from a page of this session, so nothing was done. Reload it.")
    return form


async def read_own_form(request: Request, public_url: str) -> Form:
    """Reads the form of any page of this site. Raises FormRefused."""
    _refuse_foreign(request, public_url)
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > MAX_LENGTH:
                raise FormRefused("This form is too long.")
    except ClientDisconnect:
        raise FormRefused("The form did not arrive as a whole.") from None
    try:
        fields = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except ValueError:
        raise FormRefused("This form has too many fields.") from None
    return Form(fields)


def same(given: str, ours: str) -> bool:
    """Whether two secrets are equal, compared in constant time; empty ones never are."""
    return bool(ours) and hmac.compare_digest(given.encode(), ours.encode())


def _refuse_foreign(request: Request, public_url: str) -> None:
    """Raises FormRefused unless the browser's headers say that the form comes from a page of this site."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    shown = urlsplit(public_url)
    own = {f"{shown.scheme}://{shown.netloc}", f"{request.url.scheme}://{request.headers.get('host', '')}"}
    if site is None and origin is None:
        raise FormRefused("This form doesn't say which page sent it (Origin), so nothing was done.")
    if (site is not None and site != "same-origin") or (origin is not None and origin not in own):
        raise FormRefused("This form was sent by a page of another site, so nothing was done.")
