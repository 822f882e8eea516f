"""A gone or deprecated Python name becomes the one that the error itself names, at its place and where it means the
same; anything else stays."""

import pytest

from healing.model import Category
from tests.repair.fixers.repos import Broken

SOURCE = "fixer:named_replacement"
INF = "AttributeError: `np.Inf` was removed in the NumPy 2.0 release. Use `np.inf` instead."
WARN = "DeprecationWarning: The 'warn' method is deprecated, use 'warning' instead"
REGEX = "pydantic.errors.PydanticUserError: `regex` is removed. use `pattern` instead"
FROZEN = "`allow_mutation` is deprecated and will be removed. use `frozen` instead"
OFFSET = "ValueError: 'M' is no longer supported for offsets. Please use 'ME' instead."


def proposed(broken: Broken) -> list[dict[str, str]]:
    return [broken.after(c) for c in broken.candidates() if c.source == SOURCE]


# AF-3
def test_what_an_import_says_is_the_same_follows_in_all_files() -> None:
    files = {
        "low.py": "import numpy as np\n\n\ndef f(x=np.Inf):\n    return np.Inf + x.Inf\n",
        "high.py": "import numpy\nfrom numpy import Inf\n\nTOP = -numpy.Inf + Inf\n",
        "own.py": "class np:\n    Inf = 1\n\n\nnp.Inf\n",
        "string.py": "import numpy as np\n\nnp.inf  # np.Inf\n'np.Inf'\n",
    }
    broken = Broken(files).said(INF, ("low.py", 5))
    assert proposed(broken)[0] == {
        "low.py": "import numpy as np\n\n\ndef f(x=np.inf):\n    return np.inf + x.Inf\n",
        "high.py": "import numpy\nfrom numpy import inf\n\nTOP = -numpy.inf + inf\n",
    }


# AF-3
@pytest.mark.parametrize(
    ("message", "old", "new"),
    [
        (INF.replace("Inf", "NINF").replace("`np.inf", "`-np.inf"), "a = np.NINF", "a = -np.inf"),
        (INF.replace("Inf", "NINF").replace("`np.inf", "`-np.inf"), "a = np.NINF ** 2", "a = (-np.inf) ** 2"),
        (INF.replace("Inf", "PZERO").replace("`np.inf", "`0.0"), "a = [np.PZERO]", "a = [0.0]"),
        ("`np.int` was a deprecated alias. To avoid this error, use `int` by itself.", "a = np.int(2)", "a = int(2)"),
        ("`in1d` is deprecated. Use `np.isin` instead.", "a = np.in1d([1], [2])", "a = np.isin([1], [2])"),
        ("`np.who` is deprecated. It's available as `np.lib.who`.", "np.who()", "np.lib.who()"),
        ("`np.a` is deprecated. Use `np._a` instead.", "np.a()", None),
        ("`np.safe_eval` was removed. Use `ast.literal_eval` instead.", "np.safe_eval('1')", None),
        ("`np.arr` was removed. Use `int.arr` by itself.", "np.arr", None),
    ],
)
def test_the_advice_is_written_as_an_expression_that_means_it(message: str, old: str, new: str | None) -> None:
    head = "import numpy as np\n\n"
    broken = Broken({"a.py": f"{head}{old}\n"}).said(message, ("a.py", 3))
    assert proposed(broken) == ([{"a.py": f"{head}{new}\n"}] if new else [])


# AF-3
def test_a_method_is_followed_on_the_same_object_then_in_the_same_function() -> None:
    text = (
        "def f(log, other):\n    log.warn(1)\n    log.warn(2)\n    other.warn(3)\n\n\ndef g(third):\n    third.warn()\n"
    )
    first, second = proposed(Broken({"a.py": text}).said(WARN, ("a.py", 2)))
    assert first == {"a.py": text.replace("log.warn(", "log.warning(")}
    assert second == {"a.py": text.replace("log.warn(", "log.warning(").replace("other.warn(", "other.warning(")}


# AF-3
def test_a_keyword_is_followed_in_all_calls_of_what_was_imported() -> None:
    head = "import re\nfrom pydantic import Field\n\n"
    broken = Broken(
        {
            "a.py": f"{head}one = Field(\n    1,\n    regex='a',\n)\nf(regex='b')\n",
            "b.py": "import pydantic\n\ntwo = pydantic.Field(regex='c')\n",
        }
    ).said(REGEX, ("a.py", 4))
    assert proposed(broken)[0] == {
        "a.py": f"{head}one = Field(\n    1,\n    pattern='a',\n)\nf(regex='b')\n",
        "b.py": "import pydantic\n\ntwo = pydantic.Field(pattern='c')\n",
    }


# AF-3
@pytest.mark.parametrize(
    ("message", "line"),
    [
        (FROZEN, "a = Field(allow_mutation=False)"),  # it is `frozen=True`
        (FROZEN, "a = Field(allow_mutation=changes)"),
        (REGEX, "a = Field(regex='a', pattern='b')"),
        (REGEX.replace("pattern", "Literal"), "a = Field(regex='a')"),
        (REGEX, "a = Field(min_length=1)"),  # the old name isn't there
        (REGEX, "regex = 'regex'"),
        (REGEX, "a = Field(regex.regex, regex='a')"),  # in two roles
        ("Use `one` or `two` instead of `regex`", "a = Field(regex='a')"),
        (OFFSET, "a = frame.M('M')"),
        (OFFSET, "a = date_range(freq='2M')"),
        ("UserWarning: get() is deprecated: use bytes instead", "a = regex.get()"),
    ],
)
def test_where_another_reading_is_possible_nothing_is_proposed(message: str, line: str) -> None:
    assert proposed(Broken({"a.py": f"{line}\n"}).said(message, ("a.py", 1))) == []


# AF-3
def test_a_string_is_replaced_in_the_same_argument_of_the_same_function() -> None:
    text = "a = pd.date_range(x, freq='M')\nb = pd.date_range(x, freq=\"M\")\nc = pd.f('M')\nd = pd.date_range('M')\n"
    broken = Broken({"a.py": text}).said(OFFSET, ("a.py", 1))
    expected = text.replace("freq='M'", "freq='ME'").replace('freq="M"', 'freq="ME"')
    assert proposed(broken) == [{"a.py": expected}]


# AF-3
def test_an_alias_of_unittest_is_the_one_name_like_the_advised_one() -> None:
    text = "class T(TestCase):\n    def test(self):\n        self.assertEquals(1, 1)\n        self.assertEquals(2, 2)\n"
    broken = Broken({"test_a.py": text}).said("DeprecationWarning: Please use assertEqual instead.", ("test_a.py", 3))
    assert proposed(broken) == [{"test_a.py": text.replace("Equals", "Equal")}]
    other = Broken({"test_a.py": text.replace("assertEquals", "assertLogs")})
    assert proposed(other.said("DeprecationWarning: Please use assertEqual instead.", ("test_a.py", 3))) == []


# AF-3
def test_a_test_of_what_the_repository_itself_deprecates_stays() -> None:
    files = {
        "core.py": "def fetch_all():\n    pass\n\n\ndef get_all():\n    warn('get_all() is deprecated')\n",
        "app.py": "import core\n\ncore.get_all()\n",
        "test_core.py": "import core\n\n\ndef test_it():\n    core.get_all()\n",
    }
    message = "DeprecationWarning: get_all() is deprecated, use fetch_all() instead"
    broken = Broken(files).said(message, ("test_core.py", 5), ("app.py", 3), ("core.py", 6))
    assert proposed(broken) == [{"app.py": "import core\n\ncore.fetch_all()\n"}]
    alone = Broken(files).said(message, ("test_core.py", 5), ("core.py", 6))
    assert proposed(alone) == []


# AF-3
def test_an_imported_name_stays_where_others_import_it_from_or_where_the_new_one_is_taken() -> None:
    message = "DeprecationWarning: core.get_all is deprecated, use core.fetch_all instead"
    for text in (
        "from core import get_all, fetch_all\n\nget_all()\n",
        "from core import get_all\nfetch_all = get_all()\n",
    ):
        assert proposed(Broken({"a.py": text}).said(message, ("a.py", 1))) == []
    exported = {"p/__init__.py": "from core import get_all\n"}
    assert proposed(Broken(exported).said(message, ("p/__init__.py", 1))) == []


# AF-3, CK-1
def test_a_linters_advice_is_not_written_as_a_name_that_may_not_exist() -> None:
    """`os.path.Path(a, b)` satisfied Ruff, and was offered as a fix."""
    message = "`os.path.join()` should be replaced by `Path` with `/` operator"
    files = {"a.py": "import os\n\np = os.path.join('a', 'b')\n"}
    assert proposed(Broken(files).said(message, ("a.py", 3), category=Category.LINT)) == []
