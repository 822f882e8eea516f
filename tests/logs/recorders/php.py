"""Records the samples of PHP's tools: `python -m tests.logs.recorders.php [name…]`; wants them on the PATH."""

import sys

from tests.logs.recorders.machine import Runs, write

CART = {
    "src/Cart.php": (
        "<?php\nclass Cart {\n    public function __construct(private array $prices) {}\n"
        "    public function total(): int { return array_sum($this->prices) + 1; }\n"
        '    public function load(string $name): void { throw new InvalidArgumentException("no cart $name"); }\n}\n'
    )
}
TESTS = {
    "tests/CartTest.php": (
        "<?php\nrequire_once __DIR__ . '/../src/Cart.php';\nuse PHPUnit\\Framework\\TestCase;\n\n"
        "final class CartTest extends TestCase {\n"
        "    public function testTotal(): void {\n        $this->assertSame(3, (new Cart([1, 2]))->total());\n    }\n"
        "    public function testLoad(): void {\n        (new Cart([]))->load('a');\n    }\n"
        "    /** @dataProvider sizes */\n    public function testSizes(int $n): void {\n"
        "        $this->assertEquals([1, 2], [1, $n], 'sizes differ');\n    }\n"
        "    public static function sizes(): array { return ['two' => [2], 'with three' => [3]]; }\n"
        '    public function testText(): void {\n        $this->assertSame("one\\ntwo", "one\\nthree");\n    }\n'
        "    public function testNotice(): void {\n        echo $undefined;\n        $this->assertTrue(true);\n    }\n"
        "    public function testNothing(): void {}\n"
        "    public function testLater(): void { $this->markTestSkipped('later'); }\n"
        "    public function testFine(): void {\n        $this->assertTrue(true);\n    }\n}\n"
    )
}
FINE = {
    "tests/FineTest.php": (
        "<?php\nuse PHPUnit\\Framework\\TestCase;\nclass FineTest extends TestCase {\n"
        "    public function testFine(): void { $this->assertTrue(true); }\n}\n"
    )
}
SYNTAX = {"src/Bad.php": "<?php\nclass Bad {\n    function f( { }\n}\n"}
SCRIPT = {
    "run.php": (
        "<?php\nrequire 'src/Cart.php';\nfunction main() {\n    echo $missing;\n"
        "    (new Cart([]))->load('a');\n}\nmain();\n"
    )
}
GONE = {"run.php": "<?php\nrequire 'nowhere.php';\n"}
CHAIN = {
    "run.php": (
        "<?php\nfunction open() {\n"
        "    try { nowhere(); } catch (Error $e) { throw new RuntimeException('no till', 1, $e); }\n}\n"
        "open();\n"
    )
}
UGLY = {
    "src/ugly.php": (
        "<?php\nclass ugly {\n  function  Total($a,$b) {\n    $unused = 1;\n    if ($a == NULL) { exit(1); }\n"
        "    eval($b);\n    return $a;\n  }\n}\n"
    ),
    "src/other.php": "<?php\n$x=1;\n",
}
COMPOSER = {"composer.json": '{"require": {"nowhere/thing": "^9"}, "repositories": [{"packagist.org": false}]}\n'}
COMPOSER_BAD = {"composer.json": '{"require": {\n"nowhere/thing": "^9",\n}}\n'}

RUNS: Runs = {
    "phpunit/plain": (CART | TESTS, "phpunit --do-not-cache-result tests"),
    "phpunit/testdox": (CART | TESTS, "phpunit --do-not-cache-result --testdox tests"),
    "phpunit/verbose": (CART | TESTS, "phpunit --do-not-cache-result --verbose --debug tests"),
    "phpunit/fine": (FINE, "phpunit --do-not-cache-result tests"),
    "phpunit/broken": (SYNTAX | FINE, "cp src/Bad.php tests/BadTest.php; phpunit --do-not-cache-result tests"),
    "php/lint": (SYNTAX | CART, "php -l src/Bad.php; php -l src/Cart.php"),
    "php/run": (CART | SCRIPT, "php run.php"),
    "php/log": (CART | SCRIPT, "php -d display_errors=0 -d log_errors=1 -d error_log= run.php"),
    "php/gone": (GONE, "php run.php"),
    "php/chain": (CHAIN, "php run.php"),
    "phpstan/phpcs-full": (UGLY, "phpcs --standard=PSR12 src"),
    "php-lint/emacs": (UGLY, "phpcs --standard=PSR12 --report=emacs src"),
    "phpstan/phpcs-source": (UGLY, "phpcs --standard=PSR12 -s src/ugly.php"),
    "php-lint/phpmd": (UGLY, "phpmd src text cleancode,codesize,controversial,design,naming,unusedcode"),
    "composer/unknown": (COMPOSER, "composer install --no-interaction"),
    "composer/invalid": (COMPOSER_BAD, "composer validate --no-interaction; composer install --no-interaction"),
}  # fmt: skip
SETTINGS = {"COMPOSER_ALLOW_SUPERUSER": "1"}

if __name__ == "__main__":
    write(RUNS, sys.argv[1:], **SETTINGS)
