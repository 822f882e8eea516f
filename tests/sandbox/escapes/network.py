"""To reach something: the machine's own services, the cloud's, the world."""

# ruff: noqa: E501 - a line of a script is an attempt
from healing.sandbox import promises
from tests.sandbox.escapes.attempt import collected

NETWORK, add = collected(promises.NO_NETWORK)

add(
    "a port of the machine",
    'tries("tcp", lambda: socket.create_connection(("127.0.0.1", host["port"]), 3))',
    control=True,
)
add(
    "a port of the machine by its other names",
    """
for name in ("localhost", "0.0.0.0", "127.1.2.3", "::ffff:127.0.0.1", *host["addresses"]):
    tries(name, lambda: socket.create_connection((name, host["port"]), 2))
""",
    control=True,
)
add(
    "a datagram to the machine",
    "socket_ = lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
    'tries("udp", lambda: socket_().sendto(b"x", ("127.0.0.1", host["udp"])) and not host["own_loopback"])',
)
add(
    "the cloud's metadata",
    """
for address in ("169.254.169.254", "fd00:ec2::254", "168.63.129.16", "100.100.100.200"):
    tries(address, lambda: socket.create_connection((address, 80), 1))
""",
)
add(
    "the world by address",
    """
for address in ("1.1.1.1", "8.8.8.8", "2606:4700:4700::1111"):
    tries(address, lambda: socket.create_connection((address, 443), 1))
""",
)
add(
    "names",
    """
tries("look up", lambda: socket.getaddrinfo("example.com", 443))
for server in host["nameservers"]:
    question = b"\\x12\\x34\\x01\\0\\0\\1\\0\\0\\0\\0\\0\\0\\7example\\3com\\0\\0\\1\\0\\1"
    def ask():
        asking = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        asking.settimeout(1)
        asking.sendto(question, (server, 53))
        return asking.recv(512)
    tries(server, ask)
""",
)
add(
    "raw packets and ping",
    """
tries("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP))
tries("packet", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
tries("ping", lambda: b" 0% packet loss" in output_of("ping", "-c", "1", "-W", "1", host["addresses"][0] if host["addresses"] else "127.0.0.1"))
""",
)
add(
    "the virtual machine's host",
    """
tries("vsock", lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM))
""",
    promise=promises.NO_NEW_PRIVILEGES,
    control=True,
)
add(
    "socket families that nobody needs",
    """
for family in range(46):
    if family not in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET, socket.SOCK_RAW):
            tries(family, lambda: socket.socket(family, kind).fileno() >= 0)
""",
    promise=promises.NO_NEW_PRIVILEGES,
    control=True,
)
add(
    "an interface brought up by netlink",
    """
def bring_up():
    link = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
    link.bind((0, 0))
    link.send(struct.pack("IHHIIBxHiII", 32, 16, 0x605, 1, 0, 0, 0, 1, 1, 1))
    answer = link.recv(4096)
    return struct.unpack_from("IHHIIi", answer)[-1] == 0
tries("lo down and up", bring_up)
tries("a new interface", lambda: b"" == output_of("ip", "link", "add", "x0", "type", "dummy") and os.path.exists("/sys/class/net/x0"))
""",
)
add(
    "a multipath connection",
    'tries("mptcp", lambda: socket.socket(2, 1, 262).connect(("127.0.0.1", host["port"])) is None)',
)

SOCKETS, add = collected(promises.NO_HOST_SOCKET)
add(
    "a service's socket by its path",
    'tries("connect", lambda: socket.socket(socket.AF_UNIX).connect(host["socket"]) is None)',
    control=True,
)
add(
    "a service's abstract socket",
    'tries("connect", lambda: socket.socket(socket.AF_UNIX).connect("\\0" + host["abstract"]) is None)',
    control=True,
)
add(
    "a datagram pair pointed elsewhere",
    """
one, two = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
tries("send", lambda: one.sendto(b"x", host["datagrams"]))
tries("connect", lambda: two.connect(host["datagrams"]) is None)
""".replace("one, two =", "try:\n    one, two =").replace(
        "SOCK_DGRAM)\n", "SOCK_DGRAM)\nexcept OSError:\n    os._exit(0)\n"
    ),
    control=True,
)
add(
    "a stream pair connected anew",
    """
one, two = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
tries("connect", lambda: one.connect(host["socket"]) is None)
""",
)
add(
    "the container engine's and the session's sockets",
    """
for path in ("/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock",
             "/run/dbus/system_bus_socket", "/run/systemd/private", "/run/systemd/journal/socket", "/dev/log",
             "/tmp/.X11-unix/X0", f"/run/user/{os.getuid()}/bus", "/run/snapd.socket", "/var/run/nscd/socket"):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        tries(path, lambda: socket.socket(socket.AF_UNIX, kind).connect(path) is None)
""",
)
add(
    "a socket of the machine through a link",
    """
os.symlink(host["socket"], "to-socket")
tries("connect", lambda: socket.socket(socket.AF_UNIX).connect("to-socket") is None)
""",
    control=True,
)
