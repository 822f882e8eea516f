"""The app around all routes. Deliveries bypass routing and the middleware that pages need."""

from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send

WEBHOOK = "/webhook"


class Front(Starlette):
    """`webhook` handles deliveries once it is set; if it raises, the server responds with 500 and logs the error."""

    webhook: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.webhook is not None and scope.get("path") == WEBHOOK and scope.get("method") == "POST":
            await self.webhook(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)
