"""What every command may read of /etc: what programs need to start, and nothing in which a login stands."""

from pathlib import Path

import pytest

from healing.sandbox.exposure import only_loads, system_files

OPCACHE = "; configuration for php opcache module\n; priority=10\nzend_extension=opcache.so\nopcache.jit=off\n"


# WT-5
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("extension=mbstring.so\n", True),
        (OPCACHE, True),
        ("", True),
        ("extension=newrelic.so\nnewrelic.license = 0123456789abcdef\n", False),
        ("extension=newrelic.so\n;newrelic.license = 0123456789abcdef\n", False),
        ("[mail]\nsmtp_password=x\n", False),
    ],
)
def test_a_file_of_php_is_shown_where_it_does_nothing_but_load_extensions(
    tmp_path: Path, text: str, shown: bool
) -> None:
    (tmp_path / "20-x.ini").write_text(text)
    assert only_loads(tmp_path / "20-x.ini") is shown
    assert not only_loads(tmp_path / "gone.ini")


# WT-5
def test_folders_and_files_with_passwords_are_not_among_what_is_shown() -> None:
    shown = system_files()
    assert Path("/etc/ssl/certs") in shown
    secret = ("shadow", "settings.xml", "management", "php.ini", "environment", "pip.conf", "npmrc")
    assert not [path for path in shown if path.name in secret]
    assert Path("/etc") not in shown
    assert not [path for path in shown if path.name.startswith(("java", "php", "maven"))], "none of them as a whole"
