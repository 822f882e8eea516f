"""Records the samples of Perl: `python -m tests.logs.recorders.other [name…]`. Wants perl, prove."""

import sys

from tests.logs.recorders.machine import Runs, write

PERL = {
    "lib/Till.pm": (
        "package Till;\nuse strict;\nuse warnings;\n"
        "sub count { my ($n) = @_; die 'no coins' unless $n; return $n }\n1;\n"
    ),
    "bin/gone.pl": "use lib 'lib';\nuse Shop::Coin;\n",
    "bin/die.pl": "use lib 'lib';\nuse Till;\nTill::count(0);\n",
    "bin/syntax.pl": "use strict;\nmy $x = 3\nmy $y = 4;\nprint $undeclared;\n",
    "bin/warn.pl": 'use warnings;\nmy $x;\nprint 1 + $x, "\\n";\n',
    "t/till.t": (
        "use lib 'lib';\nuse Test::More tests => 4;\nuse Till;\nis(Till::count(3), 4, 'coins are counted');\n"
        "ok(0, 'the till opens');\nis_deeply([1], [2], 'drawers');\nok(1, 'fine');\n"
    ),
}
RUNS: Runs = {
    "perl/dies": (PERL, "for s in gone die syntax warn; do perl bin/$s.pl; done"),
    "test-more/prove": (PERL, "prove t"),
    "test-more/verbose": (PERL, "prove -v t"),
}

if __name__ == "__main__":
    write(RUNS, sys.argv[1:])
