"""Comments and reactions: one sticky summary, and one answer per command, both edited in place."""

from typing import Any

from bot.github.client import RepoClient
from bot.github.once import post_once
from handlers.events import Where
from handlers.model.plans import Posted

_REACT = "mutation($input: AddReactionInput!) { addReaction(input: $input) { reaction { content } } }"


class Comments:
    """`author` is our own login: other authors' comments with our marker are ignored."""

    def __init__(self, client: RepoClient, author: str) -> None:
        self._client = client
        self._author = author

    async def sticky(self, number: int, marker: str, body: str, create: bool = True) -> Posted | None:
        """See `handlers.model.Publisher`. An unchanged body is not sent again."""
        if not create:
            comment = await self._find(f"/issues/{number}/comments", marker)
            return None if comment is None else await self._edit("/issues/comments", comment, _marked(body, marker))
        return await self.answer(number, marker, body, None)

    async def answer(self, number: int, marker: str, body: str, in_reply_to: int | None) -> Posted:
        """See `handlers.model.Publisher`; `in_reply_to` is the first comment of the review thread in which to
        answer."""
        listed = f"/issues/{number}/comments" if in_reply_to is None else f"/pulls/{number}/comments"
        target = listed if in_reply_to is None else f"/pulls/{number}/comments/{in_reply_to}/replies"
        text = _marked(body, marker)

        async def look() -> dict[str, Any] | None:
            return await self._find(listed, marker)

        async def post() -> dict[str, Any]:
            comment: dict[str, Any] = await self._client.write("POST", target, {"body": text})
            return comment

        kept = await post_once(look, post, self._client.transport.sleep, read_back=False)
        return await self._edit(listed.replace(f"/{number}", "", 1), kept, text)

    async def react(self, comment_id: int, where: Where, content: str, node_id: str = "") -> None:
        """Adds a reaction, which GitHub stores only once. The REST API has no reactions to a review's summary."""
        if where == "summary":
            await self._client.graphql(_REACT, {"input": {"subjectId": node_id, "content": content.upper()}})
            return
        listed = "issues" if where == "issue" else "pulls"
        url = f"/{listed}/comments/{comment_id}/reactions"
        await self._client.write("POST", url, {"content": content}, repeatable=True)

    async def _find(self, listed: str, marker: str) -> dict[str, Any] | None:
        async for item in self._client.pages(listed):
            mine = (item.get("user") or {}).get("login") == self._author
            if mine and marker in (item.get("body") or ""):
                comment: dict[str, Any] = item
                return comment
        return None

    async def _edit(self, listed: str, kept: dict[str, Any], text: str) -> Posted:
        if _plain(kept.get("body") or "") != _plain(text):
            kept = await self._client.write("PATCH", f"{listed}/{kept['id']}", {"body": text}, repeatable=True)
        return Posted(id=kept["id"], url=kept.get("html_url") or "")


def _marked(body: str, marker: str) -> str:
    return body if marker in body else f"{body}\n\n{marker}"


def _plain(text: str) -> str:
    """Normalizes line ends and surrounding white space, which GitHub may change."""
    return text.replace("\r\n", "\n").strip()
