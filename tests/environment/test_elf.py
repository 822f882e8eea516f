"""Where a program has its libraries from: a Python without its own takes the system's, and is another version."""

import subprocess
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from healing.environment.elf import library_folders
from healing.environment.laptop import laptop_view
from tests.programs import needs


def linked(program: Path, runpath: str) -> Path:
    """A real program with these folders for its libraries."""
    needs("cc", "gcc")
    program.parent.mkdir(parents=True)
    source = program.with_suffix(".c")
    source.write_text("int main(void) { return 0; }\n")
    subprocess.run(["cc", "-o", program, source, f"-Wl,-rpath,{runpath}"], check=True)
    return program


# ENV-1
def test_the_library_folders_of_a_program_are_read_from_its_file(tmp_path: Path) -> None:
    program = linked(tmp_path / "one" / "bin" / "python", "$ORIGIN/../lib:/opt/one/lib:relative")
    assert library_folders(program) == (tmp_path / "one" / "lib", Path("/opt/one/lib"))
    assert library_folders(linked(tmp_path / "two" / "bin" / "python", "/")) == (Path("/"),)
    assert library_folders(program.with_suffix(".c")) == ()
    assert library_folders(tmp_path / "none") == ()


# ENV-1
def test_any_bytes_are_read_as_no_program_without_an_error(tmp_path: Path) -> None:
    whole = linked(tmp_path / "bin" / "program", "/opt/one/lib").read_bytes()
    place = tmp_path / "broken"

    @given(st.integers(0, len(whole)), st.binary(max_size=64), st.integers(0, 4096))
    def broken(length: int, other: bytes, at: int) -> None:
        place.write_bytes(whole[:at] + other + whole[at + len(other) : length])
        library_folders(place)

    broken()


# ENV-1
def test_the_libraries_of_an_environments_python_are_shown_wherever_they_lie(tmp_path: Path) -> None:
    libraries = tmp_path / "home" / "built" / "lib"
    libraries.mkdir(parents=True)
    python = linked(tmp_path / "home" / "pythons" / "3.99" / "bin" / "python3.99", str(libraries))
    venv = tmp_path / "home" / "clone" / ".venv" / "bin"
    venv.mkdir(parents=True)
    (venv / "python").symlink_to(python)
    (venv.parent / "pyvenv.cfg").write_text(f"home = {python.parent}\n")
    view = laptop_view(tmp_path / "home" / "clone", {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin"})
    assert libraries in view.readable
