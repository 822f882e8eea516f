"""The app around all routes. A delivery goes straight to its endpoint: GitHub waits for nothing that pages need."""

from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send

WEBHOOK = "/webhook"


class Front(Starlette):
    """`webhook` takes the deliveries, from when it is set; where it raises, the server answers 500 and logs it."""

    webhook: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.webhook is not None and scope.get("path") == WEBHOOK and scope.get("method") == "POST":
            await self.webhook(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)
