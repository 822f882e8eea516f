"""Records the samples of Python's linters and installers: `python -m tests.logs.recorders.python [name…]`.

Wants flake8 (with flake8-bugbear), pylint, vulture, deptry, bandit, isort, pydocstyle, sphinx, basedpyright,
import-linter, semgrep, pip, uv and poetry on the PATH.
"""

import sys

from tests.logs.record import BROKEN, SHOP
from tests.logs.recorders.machine import Runs, write

RISKY = {
    "shop/till.py": (
        '"""The till."""\nimport subprocess\nimport os, sys\n\nPASSWORD = "drawer"  # the real one is longer\n\n\n'
        "def open_drawer(name=[]):\n    assert name\n    subprocess.call(name, shell=True)\n"
        "    if name:\n        return 1\n    else:\n        return 2\n\n\n"
        "class Till:\n    def total(self, a, b, c, d, e, f):\n        try:\n            eval(a)\n        except:\n"
        "            pass\n"
    ),
    "shop/coins.py": (
        "from shop import nowhere\nimport nothing_at_all\n\n\ndef f(a: int) -> str:\n    return a + 'x'\n\n\n"
        "f('a').append(3)\n"
    ),
}
PAGES = {
    "mkdocs.yml": "site_name: Shop\nnav: [index.md, guid.md]\n",
    "docs/index.md": "# Shop\n\n[The guide](gone.md)\n",
    "docs/guide.md": "# Guide\n",
}
COUNTED = {
    "shop.py": "def price(x):\n    if x:\n        return 1\n    return 2\n\n\ndef test_price():\n    assert price(1)\n"
}
DOCUMENTS = {
    "conf.py": "project = 'shop'\nextensions = ['sphinx.ext.autodoc']\nimport sys\nsys.path.insert(0, '.')\n",
    "till.py": 'def total():\n    """Adds up.\n\n    Title\n    --\n    :ref:`nowhere`\n    """\n',
    "index.rst": (
        "Shop\n====\n\n.. toctree::\n\n   gone\n\n.. automodule:: till\n   :members:\n\n:ref:`drawer`\n\n.. coin::\n"
    ),
    "lost.rst": "Lost\n===\n",
}
DOCTESTS = {
    "shop.py": (
        'def two(n):\n    """Gives two.\n\n    >>> two(1)\n    2\n    >>> two(0)\n    2\n    >>> two(2)\n    """\n'
        "    return [3, 4 // n][n > 0 or n]\n\n\n"
        'def fine():\n    """\n    >>> fine()\n    """\n'
    )
}
LAYERS = {
    "app/__init__.py": "",
    "app/low/__init__.py": "",
    "app/low/stock.py": "from app import between\n",
    "app/low/coins.py": "\n\nimport app.high.page\n",
    "app/between.py": "from app.high import page\n",
    "app/high/__init__.py": "",
    "app/high/page.py": "",
    ".importlinter": (
        "[importlinter]\nroot_package = app\n\n[importlinter:contract:1]\nname = The layers\ntype = layers\n"
        "layers =\n    app.high\n    app.low\n\n[importlinter:contract:2]\nname = Low knows no page\n"
        "type = forbidden\nsource_modules = app.low\nforbidden_modules = app.high\n"
    ),
}
RULES = {
    "shop.py": (
        "import os\n\n\ndef f(x):\n    return eval(x)\n\n\n"
        "def g(x, y):\n    a = eval(\n        x\n    )\n    return eval(y)\n"
    ),
    "app/web.py": "def read(x):\n    return eval(x)\n",
    "rules.yml": (
        "rules:\n  - id: python.lang.security.eval\n    languages: [python]\n    severity: ERROR\n"
        "    message: Never run what a user says; ast.literal_eval reads values.\n    pattern: eval(...)\n"
        "  - id: no-return-call\n    languages: [python]\n    severity: WARNING\n    "
        "message: >-\n      A longer message that is wrapped, since it is a good deal longer than a line of a "
        "terminal and goes on.\n"
        "    pattern: return $F(...)\n"
        "  - id: no-os\n    languages: [python]\n    severity: INFO\n    message: Use pathlib.\n"
        "    pattern: import os\n    fix: import pathlib\n"
    ),
}
UNUSED = {
    "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\ndependencies = ["six"]\n',
    "shop/cart.py": (
        "import os\nimport sys as s\nimport requests\nfrom json import loads, dumps as d\n\n\n"
        "def price(x):\n    y = 1\n    return cost\n    print(x)\n"
    ),
}
CONFLICT = {
    "a/pyproject.toml": '[project]\nname = "shop-a"\nversion = "1"\ndependencies = ["shop-c==1"]\n',
    "b/pyproject.toml": '[project]\nname = "shop-b"\nversion = "1"\ndependencies = ["shop-c==2"]\n',
}

SIX = '[project]\nname = "shop"\nversion = "1"\nrequires-python = ">=3.11"\ndependencies = ["six"]\n'
EMPTY_LOCK = (
    'version = 1\nrevision = 1\nrequires-python = ">=3.11"\n\n'
    '[[package]]\nname = "shop"\nversion = "1"\nsource = { virtual = "." }\n'
)
OLD_POETRY_LOCK = 'package = []\n\n[metadata]\nlock-version = "2.0"\npython-versions = "^3.11"\ncontent-hash = "0000"\n'
POETRY = '[tool.poetry]\npackage-mode = false\n[tool.poetry.dependencies]\npython = "^3.11"\nsix = "*"\n'
NO_HASH = "0" * 64
QUIET = "2>&1 | grep -v -e ^Looking -e ^WARNING -e notice"  # without the indexes of the machine
NOWHERE = "PIP_NO_CACHE_DIR=1 unshare -n"  # as root

RUNS: Runs = {
    "flake8/default": (SHOP | BROKEN | RISKY, "flake8 shop"),
    "flake8/source": (SHOP | RISKY, "flake8 --show-source shop"),
    "flake8/pylint": (SHOP | RISKY, "flake8 --format=pylint shop"),
    "pylint/text": (SHOP | RISKY, "pylint shop"),
    "pylint/parseable": (SHOP | RISKY, "pylint -f parseable shop"),
    "pylint/msvs": (SHOP | RISKY, "pylint -f msvs shop"),
    "pylint/colour": (SHOP | BROKEN, "pylint -f colorized shop"),
    "bandit/screen": (RISKY, "bandit -q -r shop"),
    "bandit/text": (RISKY, "bandit -r shop -f txt"),
    "bandit/custom": (RISKY, "bandit -q -r shop -f custom"),
    "isort/check": (SHOP | RISKY, "isort --check-only shop"),
    "unused/vulture": (UNUSED, "vulture shop"),
    "unused/deptry": (UNUSED, "deptry . 2>&1 | grep -v ^Assuming"),
    "unused/pyflakes": (UNUSED, "pyflakes shop"),
    "pydocstyle/plain": (SHOP | RISKY, "pydocstyle shop"),
    "pyright/plain": (SHOP | RISKY | {"pyrightconfig.json": '{"typeCheckingMode": "standard"}'}, "basedpyright shop"),
    "import-linter/layers": (LAYERS, "PYTHONPATH=. lint-imports"),
    "semgrep/scan": (RULES, "semgrep scan --metrics off --disable-version-check --config rules.yml --error ."),
    "sphinx/build": (DOCUMENTS, "sphinx-build -q -W --keep-going -b html . out"),
    "mkdocs/strict": (PAGES, "mkdocs build --strict -d out"),
    "coverage/report": (COUNTED, "coverage run shop.py && coverage report --fail-under=90"),
    "coverage/pytest": (COUNTED, "python -m pytest -q -p no:cacheprovider --cov=. --cov-fail-under=90 shop.py"),
    "doctest/plain": (DOCTESTS, "python -m doctest shop.py"),
    "pip/missing": ({}, "pip install --no-index no-such-package-of-ours==1.0 2>&1 | grep -v WARNING"),
    "pip/file": ({}, "pip install --no-index -r gone.txt"),
    "pip/build": (
        {"setup.py": "raise SystemExit('no till')\n"},
        "pip install --no-index --no-build-isolation . 2>&1 | grep -v notice",
    ),
    "pip/conflict": (
        {"requirements.txt": "# ours\nrequests==2.31.0\nurllib3==1.20\n"},
        f"pip install --dry-run -r requirements.txt {QUIET}",
    ),
    "pip/hash": (
        {"requirements.txt": f"six==1.16.0 --hash=sha256:{NO_HASH}\n"},
        f"pip install --dry-run --no-cache-dir -r requirements.txt {QUIET}",
    ),
    "pip/no-hash": (
        {"requirements.txt": "six==1.16.0\n"},
        f"pip install --dry-run --require-hashes -r requirements.txt {QUIET}",
    ),
    "pip/invalid": (
        {"requirements.txt": "six==1.16.0\n\nclick=8.1.0\n"},
        f"pip install --dry-run -r requirements.txt {QUIET}",
    ),
    "pip/no-version": ({}, f"pip install --dry-run six==99.0 {QUIET}"),
    "pip/no-network": (
        {"requirements.txt": "six==1.16.0\n"},
        f"{NOWHERE} pip install --dry-run --retries 1 -r requirements.txt",
    ),
    "pip/python": (
        {
            "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\nrequires-python = ">=3.99"\n'
            '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n',
            "shop.py": "",
        },
        f"pip install --no-build-isolation . {QUIET}",
    ),
    "pip/metadata": (
        {"setup.py": "import nowhere_at_all\n"},
        f"pip install --no-build-isolation . {QUIET}",
    ),
    "uv/locked": ({"pyproject.toml": SIX, "uv.lock": EMPTY_LOCK}, "uv sync --locked"),
    "uv/no-lock": ({"pyproject.toml": SIX}, "uv sync --frozen"),
    "uv/offline": ({"pyproject.toml": SIX}, "UV_OFFLINE=1 uv sync --cache-dir ./cache"),
    "uv/python": ({"pyproject.toml": SIX.replace("3.11", "3.99")}, "uv sync"),
    "uv/toml": ({"pyproject.toml": '[project\nname = "shop"\n'}, "uv sync"),
    "uv/invalid": ({"requirements.txt": "six\nclick=8.1.0\n"}, "uv pip install --target x -r requirements.txt"),
    "uv/hash": (
        {"requirements.txt": f"six==1.16.0 --hash=sha256:{NO_HASH}\n"},
        "uv pip install --target x --require-hashes -r requirements.txt",
    ),
    "poetry/locked": ({"pyproject.toml": POETRY, "poetry.lock": OLD_POETRY_LOCK}, "poetry check --lock"),
    "poetry/invalid": (
        {"pyproject.toml": '[project]\nname = "shop"\nversion = "one"\n[tool.poetry]\npackage-mode = "no"\n'},
        "poetry check",
    ),
    "poetry/python": ({"pyproject.toml": POETRY.replace("3.11", "3.99")}, "poetry install -n"),
    "poetry/no-network": ({"pyproject.toml": POETRY}, "unshare -n poetry lock -n"),
    "poetry/missing": ({"pyproject.toml": POETRY.replace("*", "99.0")}, "poetry lock -n"),
    "uv/conflict": (CONFLICT, "uv pip compile --no-index a/pyproject.toml b/pyproject.toml"),
    "uv/missing": ({}, "uv pip install --no-index --target x no-such-package-of-ours"),
}

if __name__ == "__main__":
    write(RUNS, sys.argv[1:], PIP_CONFIG_FILE="/dev/null")
