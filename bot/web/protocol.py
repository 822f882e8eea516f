"""How requests are read from a connection: by llhttp (uvicorn's own protocol over it), with limits that it has not."""

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

LONGEST = 16 * 1024  # bytes of all headers and trailers of a request, or of anything that never becomes whole


class TooLong(Exception):
    """Raised to the parser, which gives up: the answer is 400, and the connection is closed."""


class BoundedProtocol(HttpToolsProtocol):
    """A connection whose headers are bounded, and that is closed where an answer came before the request's end. The
    body's limit is the endpoint's (see Webhook)."""

    _headers = 0  # bytes of this request's headers and trailers
    _unfinished = 0  # bytes since anything of a request was whole

    def data_received(self, data: bytes) -> None:
        self._unfinished += len(data)
        super().data_received(data)
        if self._unfinished > LONGEST and not self.transport.is_closing():
            self.send_400_response("A part of the request is too long.")

    def on_message_begin(self) -> None:
        self._headers = 0
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        self._unfinished = 0
        self._headers += len(name) + len(value)
        if self._headers > LONGEST:
            raise TooLong
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._unfinished = 0
        if len(self.url) > LONGEST:
            raise TooLong
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._unfinished = 0
        super().on_body(body)

    def on_response_complete(self) -> None:
        if self.cycle.more_body:
            self.transport.close()  # nobody reads what is still sent
        super().on_response_complete()
