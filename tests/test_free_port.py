"""A port that is found for a later process is still free when it begins."""

import socket

from lab.free_port import PORTS, free_port


def test_a_port_can_be_listened_on_and_none_is_one_that_the_kernel_gives_away_itself() -> None:
    for _ in range(20):
        port = free_port()
        assert port in PORTS
        with socket.create_server(("127.0.0.1", port)):
            pass
    with socket.create_server(("127.0.0.1", 0)) as given:
        assert given.getsockname()[1] not in PORTS
