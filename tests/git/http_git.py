"""A little GitHub: `git http-backend` behind HTTP with Basic auth, remembering what was asked."""

import base64
import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from urllib.parse import urlsplit

from tests.git.oracle import ENV, git


class HttpGit:
    """Serves the bare repositories below `root`; `requests` are (method, path, bytes sent back)."""

    def __init__(self, root: Path, token: str) -> None:
        self.root = root
        self.token = token
        self.requests: list[tuple[str, str, int]] = []
        self.newest = True  # protocol 2 is spoken, else 0 as before 2018
        self.refused: bytes | None = None  # a request with this in it is refused
        self.stop_after: int | None = None  # bytes of a pack after which nothing more comes
        self.stopped, self.let_go = threading.Event(), threading.Event()
        root.mkdir(parents=True)
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def auth(self) -> tuple[str, str]:
        return "x-access-token", self.token

    def add(self, name: str, clone: Path, serves: tuple[str, ...] = ("allowAnySHA1InWant",)) -> Path:
        """A bare copy of a clone, served as `name`; `serves` are git's settings of what may be asked for."""
        git(self.root, "clone", "-q", "--bare", str(clone), name)
        git(self.root / name, "config", "http.receivepack", "true")
        for setting in serves:
            git(self.root / name, "config", f"uploadpack.{setting}", "true")
        return self.root / name

    def __enter__(self) -> "HttpGit":
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: object) -> None:
                pass

            def do_GET(self) -> None:
                self._serve()

            def do_POST(self) -> None:
                self._serve()

            def _serve(self) -> None:
                expected = "Basic " + base64.b64encode(f"x-access-token:{outer.token}".encode()).decode()
                if self.headers.get("Authorization") != expected:
                    self.send_response(401)
                    self.send_header("WWW-Authenticate", 'Basic realm="x"')
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                status, headers, body = outer.backend(self.command, self.path, dict(self.headers), self._body())
                outer.requests.append((self.command, self.path, len(body)))
                self.send_response(status)
                for name, value in headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if outer.stop_after is not None and len(body) > outer.stop_after:
                    self.wfile.write(body[: outer.stop_after])
                    outer.stopped.set()
                    outer.let_go.wait(60)
                    return
                self.wfile.write(body)

            def _body(self) -> bytes:
                if self.headers.get("Transfer-Encoding") != "chunked":
                    return self.rfile.read(int(self.headers.get("Content-Length") or 0))
                body = b""
                while size := int(self.rfile.readline(), 16):
                    body += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return body

        return Handler

    def backend(
        self, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, list[tuple[str, str]], bytes]:
        if self.refused is not None and self.refused in body:
            return 403, [], b""
        parts = urlsplit(path)
        env = ENV | {
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": method,
            "PATH_INFO": parts.path,
            "QUERY_STRING": parts.query,
            "CONTENT_TYPE": headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": headers.get("Git-Protocol", "") if self.newest else "",
            "REMOTE_USER": "x",
        }
        done = subprocess.run(["git", "http-backend"], input=body, capture_output=True, env=env, check=False)
        head, _, out = done.stdout.partition(b"\r\n\r\n")
        lines = [line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line]
        status = next((int(value.split()[0]) for name, value in lines if name == "Status"), 200)
        return status, [(name, value) for name, value in lines if name != "Status"], out


def files_with(needle: bytes, *folders: Path) -> list[Path]:
    """Every file below the folders whose name or bytes hold the needle."""
    found = []
    for folder in folders:
        for at, _, names in os.walk(folder):
            for name in names:
                path = Path(at) / name
                if needle in os.fsencode(path) or (path.is_file() and needle in path.read_bytes()):
                    found.append(path)
    return found
