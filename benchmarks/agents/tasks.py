"""Small broken repositories with the one cure of each, which the scripted model knows. No cure of them is free."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Task:
    """`files` are whole files, broken; `cures` say for a file which text becomes which."""

    name: str
    files: dict[str, str]
    cures: dict[str, tuple[str, str]]

    def cured(self, path: str) -> str:
        """The file as it should be in the end."""
        old, new = self.cures.get(path, ("", ""))
        return self.files[path].replace(old, new) if old else self.files[path]


TASKS = (
    Task(
        "pages",
        {
            "pages.py": "def pages(items, size):\n    whole, rest = divmod(items, size)\n    return whole\n",
            "test_pages.py": "from pages import pages\n\n\ndef test_full():\n    assert pages(20, 10) == 2\n\n\n"
            "def test_rest():\n    assert pages(21, 10) == 3\n\n\ndef test_few():\n    assert pages(3, 10) == 1\n",
        },
        {"pages.py": ("return whole\n", "return whole + bool(rest)\n")},
    ),
    Task(
        "basket",
        {
            "prices.py": "RATES = {'book': 7, 'radio': 19}\n\n\ndef tax(kind, cents):\n"
            "    return cents * RATES[kind] // 1000\n",
            "basket.py": "from prices import tax\n\n\ndef total(items):\n"
            "    return sum(cents + tax(kind, cents) for kind, cents in items)\n",
            "test_basket.py": "from basket import total\n\n\ndef test_book():\n"
            "    assert total([('book', 1000)]) == 1070\n\n\ndef test_both():\n"
            "    assert total([('book', 1000), ('radio', 5000)]) == 7020\n",
        },
        {"prices.py": ("// 1000", "// 100")},
    ),
    Task(
        "journal",
        {
            "journal.py": "def add(entry, entries=[]):\n    entries.append(entry)\n    return entries\n",
            "test_journal.py": "from journal import add\n\n\ndef test_first():\n    assert add('a') == ['a']\n\n\n"
            "def test_second():\n    add('a')\n    assert add('b') == ['b']\n",
        },
        {
            "journal.py": (
                "def add(entry, entries=[]):\n    entries.append(entry)\n    return entries\n",
                "def add(entry, entries=()):\n    return [*entries, entry]\n",
            )
        },
    ),
    Task(
        "ranking",
        {
            "ranking.py": "def best(players):\n    ordered = sorted(players, key=lambda p: (p['points'], p['name']))\n"
            "    return [p['name'] for p in ordered]\n",
            "test_ranking.py": "from ranking import best\n\nTEAM = [{'name': 'Bo', 'points': 3}, "
            "{'name': 'Al', 'points': 3}, {'name': 'Cy', 'points': 9}]\n\n\ndef test_most_points_first():\n"
            "    assert best(TEAM)[0] == 'Cy'\n\n\ndef test_names_order_the_rest():\n"
            "    assert best(TEAM) == ['Cy', 'Al', 'Bo']\n",
        },
        {"ranking.py": ("(p['points'], p['name'])", "(-p['points'], p['name'])")},
    ),
    Task(
        "accounts",
        {
            "accounts.py": "def key_of(address):\n    name, _, host = address.partition('@')\n"
            "    return f'{name}@{host}'\n",
            "login.py": "from accounts import key_of\n\nKNOWN = {'ada@example.org': 1}\n\n\ndef login(address):\n"
            "    return KNOWN.get(key_of(address))\n",
            "test_login.py": "from login import login\n\n\ndef test_as_written():\n"
            "    assert login('ada@example.org') == 1\n\n\ndef test_capitals():\n"
            "    assert login('Ada@Example.org') == 1\n\n\ndef test_spaces():\n"
            "    assert login(' ada@example.org ') == 1\n",
        },
        {"accounts.py": ("address.partition('@')", "address.strip().lower().partition('@')")},
    ),
    Task(
        "opening_hours",
        {
            "opening_hours.py": "HOURS = {'mon': (9, 18), 'sat': (10, 14)}\n\n\ndef is_open(day, hour):\n"
            "    start, end = HOURS[day]\n    return start <= hour < end\n",
            "test_opening_hours.py": "from opening_hours import is_open\n\n\ndef test_monday():\n"
            "    assert is_open('mon', 9)\n    assert not is_open('mon', 18)\n\n\ndef test_sunday_is_closed():\n"
            "    assert not is_open('sun', 12)\n",
        },
        {"opening_hours.py": ("HOURS[day]", "HOURS.get(day, (0, 0))")},
    ),
    Task(
        "report",
        {
            "report.py": "def summary(numbers):\n    count = sum(1 for _ in numbers)\n    return count, sum(numbers)\n",
            "test_report.py": "from report import summary\n\n\ndef test_list():\n    assert summary([1, 2]) == (2, 3)\n"
            "\n\ndef test_stream():\n    assert summary(n for n in (1, 2)) == (2, 3)\n",
        },
        {
            "report.py": (
                "    count = sum(1 for _ in numbers)\n    return count, sum(numbers)\n",
                "    held = list(numbers)\n    return len(held), sum(held)\n",
            )
        },
    ),
    Task(
        "lookup",
        {
            "lookup.py": "_seen = {}\n\n\ndef label(word, language):\n    if word not in _seen:\n"
            "        _seen[word] = f'{language}:{word}'\n    return _seen[word]\n",
            "test_lookup.py": "from lookup import label\n\n\ndef test_one():\n"
            "    assert label('cat', 'en') == 'en:cat'\n\n\ndef test_other_language():\n"
            "    label('dog', 'en')\n    assert label('dog', 'de') == 'de:dog'\n",
        },
        {
            "lookup.py": (
                "    if word not in _seen:\n        _seen[word] = f'{language}:{word}'\n    return _seen[word]\n",
                "    if (word, language) not in _seen:\n        _seen[word, language] = f'{language}:{word}'\n"
                "    return _seen[word, language]\n",
            )
        },
    ),
)
