"""The rows of the table in docs/security.md: the guarantees that a back end can give. Each has an attack in
tests/sandbox."""

NO_NETWORK = "no network"
NO_HOST_SOCKET = "no host socket"
NO_READ_OUTSIDE = "no read outside"
NO_WRITE_OUTSIDE = "no write outside"
NO_MODE_CHANGE_OUTSIDE = "no mode change outside"
NO_OWNER_CHANGE_OUTSIDE = "no owner or extended attribute outside"
NO_PROCESS_SEEN = "no other process seen"
NO_PROCESS_TOUCHED = "no other process touched"
NO_NEW_PRIVILEGES = "no new privileges"
NO_SET_ID_FILE = "no setuid file left"
NO_HEAL_INSIDE = "no Heal inside"
SETUP_NETWORK = "set-up network by name"
CLEAN_ENVIRONMENT = "clean environment"
PRIVATE_TMP = "private /tmp"
TMP_BOUNDED = "/tmp bounded"  # noqa: S108 - a name
TREE_DIES = "whole tree dies"
DIES_WITH_HEAL = "dies with Heal"
TIME_BOUNDED = "time bounded"
MEMORY_BOUNDED = "memory bounded"
PROCESSES_BOUNDED = "processes bounded"
FILES_BOUNDED = "open files bounded"
FILE_SIZE_BOUNDED = "file size bounded"
DISK_KEPT_FREE = "disk kept free"
OUTPUT_BOUNDED = "output bounded"

EVERY = frozenset(value for name, value in dict(globals()).items() if name.isupper())
UNSAFE = frozenset({CLEAN_ENVIRONMENT, TIME_BOUNDED, DISK_KEPT_FREE, OUTPUT_BOUNDED})
