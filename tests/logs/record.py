"""Records the samples: runs the real tools on small broken projects. `python -m tests.logs.record` writes them anew.

The `.json` beside each log is what we expect; read its diff before you commit it.
"""

import json
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from healing.logs.reading import read_log

SAMPLES = Path(__file__).parent / "samples"
HOME = "/home/runner/work/r/r"
BIN = Path(sys.executable).parent

SHOP = {
    "shop/__init__.py": "",
    "shop/cart.py": (
        "import os\nimport json, sys\n\n\n"
        "def total(items):\n    return sum(item.prize for item in items) + undefined_tax\n\n\n"
        "def load(text):\n    try:\n        return json.loads(text)\n    except ValueError as error:\n"
        "        raise RuntimeError(f'bad cart: {text}') from error\n"
    ),
    "shop/typed.py": (
        "import nowhere\n\n\ndef size(name: str) -> int:\n    return name\n\n\n"
        "def call() -> int:\n    return size(3) + size(name='a', other=['a', 'b', 'c'])\n"
    ),
}
BROKEN = {
    "shop/__init__.py": "",
    "shop/bad.py": "def total(items)\n    return 1\n",
    "shop/ind.py": "def f():\nreturn 1\n",
}
PY_311 = {"pyproject.toml": "[tool.black]\ntarget-version = ['py311']\n"}
TESTS = SHOP | {
    "tests/test_cart.py": (
        "import unittest\n\nimport pytest\n\nfrom shop.cart import load, total\n\n\nclass Item:\n    price = 2\n\n\n"
        "def test_total():\n    assert total([Item()]) == 2\n\n\ndef test_load_says_why():\n    load('{')\n\n\n"
        "@pytest.mark.parametrize('word', ['a - b', 'c::d'])\ndef test_words(word):\n    assert word == 'a b'\n\n\n"
        "def test_raises():\n    with pytest.raises(KeyError):\n        print('some output')\n\n\n"
        "def test_fine():\n    assert True\n\n\n"
        "@pytest.fixture\ndef till():\n    raise OSError('no till')\n\n\ndef test_till(till):\n    pass\n\n\n"
        "def test_unknown(unknown_fixture):\n    pass\n\n\n"
        "class CartTest(unittest.TestCase):\n    def test_equal(self):\n        self.assertEqual([1, 2], [1, 3])\n"
    ),
}
COLLECT = {
    "shop/__init__.py": "",
    "shop/cart.py": "from shop.missing import thing\n",
    "tests/test_cart.py": "from shop.cart import thing\n\n\ndef test_thing():\n    assert thing\n",
    "tests/test_syntax.py": "def test_x()\n    pass\n",
    "tests/test_name.py": "PRICE = undefined_price\n",
}
UNIT = SHOP | {
    "tests/__init__.py": "",
    "tests/test_unit.py": (
        "import unittest\n\nfrom shop.cart import load\n\n\nclass CartTest(unittest.TestCase):\n"
        "    def test_equal(self):\n        self.assertEqual(1, 2)\n\n    def test_load(self):\n        load('{')\n\n"
        "    def test_many(self):\n        for n in range(3):\n            with self.subTest(n=n):\n"
        "                self.assertNotEqual(n, 1)\n"
    ),
    "tests/test_gone.py": "import nowhere_to_be_found\n",
}
DOCS = {"shop.py": 'def two():\n    """Gives two.\n\n    >>> two()\n    2\n    """\n    return 3\n'}
CONFTEST = {"tests/conftest.py": "import nowhere_to_be_found\n", "tests/test_a.py": "def test_a():\n    pass\n"}
PLUGIN = {
    "shop_plugin.py": "from shop_plugins import fixtures\n",
    "shop-1.dist-info/entry_points.txt": "[pytest11]\nshop = shop_plugin\n",
    "shop-1.dist-info/METADATA": "Name: shop\n",
    "tests/test_a.py": "def test_a():\n    pass\n",
}
GROUP = {"run.py": "raise ExceptionGroup('two things', [ValueError('one'), KeyError('two')])\n"}
C = {"main.c": "int main(void) {\n  int unused;\n  return undefined_name;\n}\n"}

# sample: (project, command)
RUNS: dict[str, tuple[dict[str, str], str]] = {
    "ruff/concise": (SHOP | BROKEN, "ruff check --isolated --select E,F,I,S --output-format concise ."),
    "ruff/full": (SHOP | BROKEN, "ruff check --isolated --select E,F,I ."),
    "ruff/grouped": (SHOP | BROKEN, "ruff check --isolated --output-format grouped ."),
    "ruff/github": (SHOP | BROKEN, "ruff check --isolated --output-format github ."),
    "ruff/pylint": (SHOP, "ruff check --isolated --output-format pylint ."),
    "ruff/format-full": (SHOP | BROKEN, "ruff format --isolated --check ."),
    "ruff/format-concise": (SHOP, "ruff format --isolated --check --output-format concise ."),
    "black/check": (SHOP, "black --check ."),
    "black/unparsable": (BROKEN, "black --check ."),
    "black/target-version": (BROKEN | PY_311, "black --check ."),
    "mypy/plain": (SHOP, "mypy --strict --config-file= shop"),
    "mypy/pretty": (SHOP, "mypy --strict --config-file= --pretty shop"),
    "mypy/positions": (SHOP, "mypy --strict --config-file= --show-column-numbers --show-error-end shop"),
    "mypy/syntax": (BROKEN, "mypy --config-file= shop/bad.py"),
    "mypy/usage": (SHOP, "mypy --config-file= nothing.py"),
    "pytest/long": (TESTS, "python -m pytest -q -p no:randomly"),
    "pytest/verbose": (TESTS, "python -m pytest -vv"),
    "pytest/short": (TESTS, "python -m pytest --tb=short"),
    "pytest/native": (TESTS, "python -m pytest -q --tb=native"),
    "pytest/line": (TESTS, "python -m pytest -q --tb=line"),
    "pytest/no": (TESTS, "python -m pytest -q --tb=no"),
    "pytest/color": (TESTS, "python -m pytest -v --color=yes"),
    "pytest/no-summary": (TESTS, "python -m pytest -v --no-summary"),
    "pytest/collect": (COLLECT, "python -m pytest"),
    "pytest/collect-native": (COLLECT, "python -m pytest -q --tb=native"),
    "pytest/doctest": (DOCS, "python -m pytest --doctest-modules"),
    "pytest/conftest": (CONFTEST, "python -m pytest"),
    "pytest/plugin": (PLUGIN, "PYTEST_DISABLE_PLUGIN_AUTOLOAD= python -m pytest"),
    "pytest/usage": (SHOP, "python -m pytest nothing.py --unknown-option"),
    "unittest/plain": (UNIT, "python -m unittest discover -s tests -t ."),
    "traceback/chained": (SHOP, "python -c \"from shop.cart import load; load('{')\""),
    "traceback/name": (SHOP, 'python -c "import shop.cart as c; c.undefined_tax; "'),
    "traceback/syntax": (BROKEN, "python shop/bad.py"),
    "traceback/indentation": (BROKEN, "python shop/ind.py"),
    "traceback/compile": (BROKEN, "python -m compileall -q shop"),
    "traceback/group": (GROUP, "python run.py"),
    "generic/gcc": (C, "gcc -Wall -fsyntax-only main.c"),
}


def run(project: dict[str, str], command: str) -> str:
    """What `command` prints in `project`, with neutral paths."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for name, text in project.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        environment = {
            "PATH": f"{BIN}:{os.environ['PATH']}",
            "HOME": folder,
            "CI": "true",
            "COLUMNS": "100",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "MYPY_CACHE_DIR": os.devnull,
            "RUFF_NO_CACHE": "true",
        }
        done = subprocess.run(
            command,
            shell=True,
            cwd=root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return neutral(done.stdout.decode(), str(root))


def neutral(text: str, root: str) -> str:
    """Paths of this machine as those of a hosted runner."""
    base = sysconfig.get_config_var("installed_base")
    text = text.replace(root, HOME).replace(sys.prefix, "/opt/hostedtoolcache/Python/3.11.7/x64")
    text = text.replace(base, "/opt/hostedtoolcache/Python/3.11.7/x64")
    return re.sub(r"[^\s/]*-packages/_pytest", "site-packages/_pytest", text)


def expected(log: bytes) -> list[dict[str, object]]:
    """The errors of a log as samples store them: without what follows from the rest."""
    drop = {"id", "excerpt", "source", "score"}
    return [
        {
            key: value
            for key, value in error.model_dump(mode="json").items()
            if key not in drop and value not in (None, [])
        }
        for error in read_log(log).errors
    ]


def main() -> None:
    """Writes every sample, or with `--expected` only what we read from the logs that are there."""
    if "--expected" not in sys.argv:
        for name, (project, command) in RUNS.items():
            path = SAMPLES / f"{name}.log"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(run(project, command))
    for path in SAMPLES.glob("*/*.log"):
        found = json.dumps(expected(path.read_bytes()), indent=1, ensure_ascii=False)
        path.with_suffix(".json").write_text(found + "\n")


if __name__ == "__main__":
    main()
