"""Gets a language server's quick fixes. A standalone program: it runs in the sandbox, without Heal's other modules.

`python -c THIS SERVER_ARGV_JSON LANGUAGE FILES_JSON [INITIALIZATION_OPTIONS_JSON]` opens the files, waits for the
server's diagnostics, requests quick fixes for each of these, and prints them as a JSON list of `{file, line, code,
message, title, preferred, edits: {file: [[start line, start character, end line, end character, text], ...]}}`. Lines
and UTF-16 characters count from 0.
"""

import json
import os
import pathlib
import subprocess
import sys
import threading
import time
import urllib.parse
from collections.abc import Iterator
from typing import Any

QUIET = 1.0  # seconds of silence after which a server that has reported on all files is taken to be done
MAX_WAIT = 30.0  # seconds of silence without work in progress after which any other server is given up
MAX_SECONDS = 90.0
ROOT = pathlib.Path.cwd()
TOP = pathlib.Path(os.environ.get("heal_top", ROOT))  # noqa: SIM112


class LanguageServer:
    """One language server, reached by JSON-RPC over its standard streams."""

    def __init__(self, argv: list[str]) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        assert self.process.stdin
        assert self.process.stdout
        self.to, self.stream = self.process.stdin, self.process.stdout
        self.number = 0
        self.answers: dict[int, Any] = {}
        self.published: dict[str, list[dict[str, Any]]] = {}
        self.under_way: set[str] = set()  # work in progress that it announced, such as loading packages
        self.last_message = time.monotonic()
        self.news = threading.Condition()
        threading.Thread(target=self._listen, daemon=True).start()

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.to.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.to.flush()

    def notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Any) -> Any:
        self.number += 1
        number = self.number
        self._send({"id": number, "method": method, "params": params})
        with self.news:
            self.news.wait_for(lambda: number in self.answers, MAX_SECONDS)
            return self.answers.pop(number, None)

    def _listen(self) -> None:
        stream = self.stream
        while True:
            length = 0
            while (line := stream.readline().strip()) or not length:
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
                elif not line and self.process.poll() is not None:
                    return
            self._handle(json.loads(stream.read(length)))

    def _handle(self, message: dict[str, Any]) -> None:
        with self.news:
            self.last_message = time.monotonic()
            if message.get("method") == "textDocument/publishDiagnostics":
                self.published[path_of(message["params"]["uri"])] = message["params"]["diagnostics"]
            elif message.get("method") == "$/progress":
                token, kind = str(message["params"]["token"]), message["params"]["value"].get("kind")
                (self.under_way.discard if kind == "end" else self.under_way.add)(token)
            elif "method" in message and "id" in message:
                params = message.get("params") or {}
                many = [None] * len(params.get("items", ())) if message["method"] == "workspace/configuration" else None
                self._send({"id": message["id"], "result": many})
            elif "id" in message:
                self.answers[message["id"]] = message.get("result")
            self.news.notify_all()

    def settle(self, files: list[str]) -> None:
        """Waits until the server has reported on each file, no work is in progress, and nothing new has come for a
        while."""
        end = time.monotonic() + MAX_SECONDS
        while time.monotonic() < end:
            with self.news:
                enough = QUIET if set(files) <= set(self.published) else MAX_WAIT
                if not self.under_way and time.monotonic() - self.last_message > enough:
                    return
            time.sleep(0.05)


def path_of(uri: str) -> str:
    path = pathlib.Path(urllib.parse.unquote(urllib.parse.urlparse(uri).path))
    return str(path.relative_to(TOP)) if path.is_relative_to(TOP) else str(path)


def edits_of(action: dict[str, Any]) -> dict[str, list[list[Any]]]:
    edit = action.get("edit") or {}
    changes = dict(edit.get("changes") or {})
    for document in edit.get("documentChanges") or ():
        if "textDocument" in document:
            changes.setdefault(document["textDocument"]["uri"], []).extend(document["edits"])
    by_file: dict[str, list[list[Any]]] = {}
    for uri, edits in changes.items():
        for text_edit in edits:
            start, end = text_edit["range"]["start"], text_edit["range"]["end"]
            place = [start["line"], start["character"], end["line"], end["character"], text_edit["newText"]]
            by_file.setdefault(path_of(uri), []).append(place)
    return by_file


def main() -> None:
    argv, language, files = json.loads(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
    options = json.loads(sys.argv[4]) if len(sys.argv) > 4 else {}
    server = LanguageServer(argv)
    action: dict[str, Any] = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}}
    action["resolveSupport"] = {"properties": ["edit"]}
    capabilities: dict[str, Any] = {"textDocument": {"codeAction": action, "publishDiagnostics": {}}}
    capabilities["window"] = {"workDoneProgress": True}
    capabilities["workspace"] = {"workspaceEdit": {"documentChanges": True}, "configuration": True}
    started = {"processId": None, "rootUri": ROOT.as_uri(), "capabilities": capabilities}
    folders = [{"uri": ROOT.as_uri(), "name": "repo"}]
    server.ask("initialize", {**started, "initializationOptions": options, "workspaceFolders": folders})
    server.notify("initialized", {})
    for file in files:
        text = (ROOT / file).read_text("utf-8", "surrogateescape").encode("utf-8", "replace").decode()
        document = {"uri": (ROOT / file).as_uri(), "languageId": language, "version": 1, "text": text}
        server.notify("textDocument/didOpen", {"textDocument": document})
    server.settle([path_of((ROOT / file).as_uri()) for file in files])
    print(json.dumps([fix for file in files for fix in fixes_of(server, path_of((ROOT / file).as_uri()))]))
    server.process.kill()


def fixes_of(server: LanguageServer, file: str) -> Iterator[dict[str, Any]]:
    for diagnostics in server.published.get(file, ()):
        document = {"uri": (TOP / file).as_uri()}
        asked = {"textDocument": document, "range": diagnostics["range"]}
        context = {"diagnostics": [diagnostics], "only": ["quickfix"]}
        for offered in server.ask("textDocument/codeAction", {**asked, "context": context}) or ():
            whole = "edit" in offered or "command" in offered
            action = offered if whole else server.ask("codeAction/resolve", offered) or offered
            if edits := edits_of(action):
                yield {
                    "file": file,
                    "line": diagnostics["range"]["start"]["line"],
                    "code": str(diagnostics.get("code") or ""),
                    "message": diagnostics["message"],
                    "title": action["title"],
                    "preferred": bool(action.get("isPreferred")),
                    "edits": edits,
                }


if __name__ == "__main__":
    main()
