"""What an agent sees of the code that a failing test of Java or Kotlin is about, from logs as Maven and Gradle print
them."""

from healing.logs.reading import LogContext, read_log
from healing.model import Category, CIError
from healing.repair.agents.contexts import excerpts
from healing.view import DictView
from tests.repair.agents.folder import cluster_of

OTHERS = "".join(f"    public int other{n}(int value) {{\n        return value + {n};\n    }}\n\n" for n in range(30))
FUNS = "".join(f"fun other{n}(value: Int): Int {{\n    return value + {n}\n}}\n\n" for n in range(30))
MAIN, TEST = "core/src/main/java/org/example/shop", "app/src/test/java/org/example/shop/app"
BODY = "".join(f"        sum += {n} * cents;\n" for n in range(60))
JAVA = {
    f"{MAIN}/Basket.java": "package org.example.shop;\n\nimport org.example.shop.money.Rounding;\n\n"
    "public class Basket extends Shelf {\n    private final int limit;\n    private Discount discount;\n\n"
    f"    public Basket(int limit) {{\n        this.limit = limit;\n    }}\n\n{OTHERS}"
    f"    public int add(int cents) {{\n        int sum = 0;\n{BODY}"
    "        return Rounding.rounded(Math.min(sum, limit));\n    }\n\n"
    "    public int add(int cents, String why) {\n        return discount.off(cents) + why.length();\n    }\n"
    f"{OTHERS}}}\n",
    f"{MAIN}/Shelf.java": f"package org.example.shop;\n\npublic abstract class Shelf {{\n{OTHERS}"
    f"    public int weight() {{\n        return 41;\n    }}\n{OTHERS}}}\n",
    f"{MAIN}/Cart.java": f"package org.example.shop;\n\npublic class Cart {{\n{OTHERS}"
    "    public int add(int cents) {\n        return 0;\n    }\n}\n",
    f"{MAIN}/Discount.java": "package org.example.shop;\n\npublic interface Discount {\n    int off(int cents);\n}\n",
    f"{MAIN}/Half.java": f"package org.example.shop;\n\npublic class Half implements Discount {{\n{OTHERS}"
    "    @Override\n    public int off(int cents) {\n        return cents / 3;\n    }\n}\n",
    f"{MAIN}/money/Rounding.java": f"package org.example.shop.money;\n\npublic final class Rounding {{\n{OTHERS}"
    "    public static int rounded(int cents) {\n        return cents / 10;\n    }\n\n"
    f"    public static class Mode {{\n{OTHERS}        public static int of(String name) {{\n"
    f"            return name.length();\n        }}\n    }}\n{OTHERS}}}\n",
    f"{TEST}/ShopTestBase.java": "package org.example.shop.app;\n\nimport org.junit.jupiter.api.BeforeEach;\n\n"
    f"abstract class ShopTestBase {{\n{OTHERS}    protected int opened;\n\n"
    f"    @BeforeEach\n    void open() {{\n        opened = 1;\n    }}\n{OTHERS}}}\n",
    f"{TEST}/ShopTest.java": "package org.example.shop.app;\n\n"
    "import static org.example.shop.money.Rounding.rounded;\nimport static org.junit.jupiter.api.Assertions.*;\n\n"
    "import org.example.shop.Basket;\nimport org.example.shop.Cart;\nimport org.example.shop.Discount;\n"
    "import org.example.shop.Half;\nimport org.example.shop.money.Rounding.Mode;\n"
    "import org.junit.jupiter.api.BeforeEach;\nimport org.junit.jupiter.api.Nested;\n"
    "import org.junit.jupiter.api.Test;\n\nclass ShopTest extends ShopTestBase {\n"
    f"    private Basket basket;\n\n    @BeforeEach\n    void fill() {{\n        basket = new Basket(7);\n    }}\n\n"
    f"{OTHERS}"
    "    @Test\n    void adds() {\n        assertEquals(7, basket.add(9));\n    }\n\n"
    "    @Test\n    void weighs() {\n        assertEquals(42, new Basket(3).weight());\n    }\n\n"
    "    @Test\n    void rounds() {\n        assertEquals(2, rounded(17));\n    }\n\n"
    "    @Test\n    void halves() {\n        Discount discount = new Half();\n"
    "        assertEquals(2, discount.off(4));\n    }\n\n"
    f"{OTHERS}"
    "    @Nested\n    class Modes {\n        @Test\n        void counts() {\n"
    '            assertEquals(2, Mode.of("abc"));\n        }\n    }\n}\n',
}
# As Maven 3 with Surefire 3.2.5 prints it: the tests of a class stand below the head of the class that is nested in it.
SUREFIRE = """\
[INFO] -------------------------------------------------------
[INFO]  T E S T S
[INFO] -------------------------------------------------------
[INFO] Running org.example.shop.app.ShopTest
[INFO] Running org.example.shop.app.ShopTest$Modes
[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.045 s <<< FAILURE! -- in \
org.example.shop.app.ShopTest$Modes
[ERROR] org.example.shop.app.ShopTest.{test} -- Time elapsed: 0.012 s <<< FAILURE!
org.opentest4j.AssertionFailedError: expected: <7> but was: <8>
\tat org.junit.jupiter.api.AssertionFailureBuilder.build(AssertionFailureBuilder.java:151)
\tat org.junit.jupiter.api.AssertionFailureBuilder.buildAndThrow(AssertionFailureBuilder.java:132)
\tat org.junit.jupiter.api.AssertEquals.failNotEqual(AssertEquals.java:197)
\tat org.junit.jupiter.api.Assertions.assertEquals(Assertions.java:531)
\tat org.example.shop.app.ShopTest.{test}(ShopTest.java:{line})
\tat java.base/java.lang.reflect.Method.invoke(Method.java:569)
\tat java.base/java.util.ArrayList.forEach(ArrayList.java:1511)

[INFO]\x20
[INFO] Results:
[INFO]\x20
[ERROR] Failures:\x20
[ERROR]   ShopTest.{test}:{line} expected: <7> but was: <8>
[INFO]\x20
[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0
"""


def line_of(text: str, file: str, files: dict[str, str]) -> int:
    return files[file].partition(text)[0].count("\n") + 1


def shown(errors: tuple[CIError, ...], files: dict[str, str]) -> dict[str, str]:
    view = DictView({path: text.encode() for path, text in files.items()})
    found: dict[str, str] = {}
    cluster = cluster_of(errors).model_copy(update={"zone": ()})
    for one in excerpts(cluster, errors, view.read, view.paths()):
        found[one.file] = found.get(one.file, "") + one.text + "\n"
    return found


def failed(log: str, files: dict[str, str]) -> dict[str, str]:
    errors = read_log(log.encode(), LogContext(known_files=frozenset(files))).errors
    assert errors
    return shown(errors, files)


def surefire(test: str, text: str) -> dict[str, str]:
    return failed(SUREFIRE.format(test=test, line=line_of(text, f"{TEST}/ShopTest.java", JAVA)), JAVA)


# AG-12
def test_the_method_that_a_failed_junit_test_calls_is_shown_whole_with_the_constructor_and_fields_of_its_class() -> (
    None
):
    code = surefire("adds", "basket.add(9)")
    basket = code[f"{MAIN}/Basket.java"]
    assert f"public int add(int cents) {{\n        int sum = 0;\n{BODY}" in basket
    assert "this.limit = limit;" in basket
    assert "private final int limit;" in basket
    assert "other3(" not in basket
    assert "basket = new Basket(7);" in code[f"{TEST}/ShopTest.java"], "what runs before the test"
    assert "opened = 1;" in code[f"{TEST}/ShopTestBase.java"], "also of its superclass"
    assert "return cents / 10;" in code[f"{MAIN}/money/Rounding.java"], (
        "what the method itself calls, in another package"
    )
    assert f"{MAIN}/Cart.java" not in code, "a class that is imported and has a method of the same name"


# AG-12
def test_what_is_shown_of_a_failed_junit_test_reads_like_this() -> None:
    code = surefire("rounds", "rounded(17)")
    assert code.pop(f"{TEST}/ShopTest.java").count("\n") == 57, (
        "the window around the line, the hook and the class's head"
    )
    assert code == {
        f"{TEST}/ShopTestBase.java": (
            "abstract class ShopTestBase {\n    protected int opened;\n"
            "    @BeforeEach\n    void open() {\n        opened = 1;\n    }\n"
        ),
        f"{MAIN}/money/Rounding.java": (
            "    public static int rounded(int cents) {\n        return cents / 10;\n    }\n"
        ),
        f"{MAIN}/Basket.java": (
            "public class Basket extends Shelf {\n    private final int limit;\n    private Discount discount;\n"
            "    public Basket(int limit) {\n        this.limit = limit;\n    }\n"
        ),
        f"{MAIN}/Shelf.java": "public abstract class Shelf {\n",
    }


# AG-12
def test_a_method_that_an_interface_only_declares_shows_those_of_the_classes_that_the_test_makes() -> None:
    test = "src/test/java/shop/PayTest.java"
    files = {
        "src/main/java/shop/Till.java": f"package shop;\n\npublic class Till {{\n{OTHERS}"
        "    private final Rate rate;\n\n"
        "    public Till(Rate rate) {\n        this.rate = rate;\n    }\n\n"
        "    public int pay(int cents) {\n        return this.rate.of(cents);\n    }\n}\n",
        "src/main/java/shop/Rate.java": "package shop;\n\npublic interface Rate {\n"
        f"{OTHERS.replace('public', 'default')}"
        "    int of(int cents);\n}\n",
        "src/main/java/shop/Double.java": f"package shop;\n\nclass Double extends Object implements Rate {{\n{OTHERS}"
        "    public int of(int cents) {\n        return cents * 3;\n    }\n}\n",
        test: "package shop;\n\nimport org.junit.Test;\n\npublic class PayTest {\n    @Test\n    public void pays() {\n"
        "        assertEquals(2, new Till(new Double()).pay(1));\n    }\n}\n",
    }
    error = CIError(
        id="E1", tool="junit", category=Category.TEST, file=test, line=8, message="x", test="shop.PayTest.pays"
    )
    code = shown((error,), files)
    assert "return this.rate.of(cents);" in code["src/main/java/shop/Till.java"]
    assert "private final Rate rate;" in code["src/main/java/shop/Till.java"]
    assert "int of(int cents);" in code["src/main/java/shop/Rate.java"]
    assert "return cents * 3;" in code["src/main/java/shop/Double.java"]


# AG-12
def test_a_test_of_a_class_is_named_by_it_also_below_the_head_of_a_class_nested_in_it() -> None:
    log = SUREFIRE.format(test="adds", line=9)
    (error,) = read_log(log.encode(), LogContext(known_files=frozenset(JAVA))).errors
    assert error.test == "org.example.shop.app.ShopTest.adds"
    assert error.file == f"{TEST}/ShopTest.java"


# AG-12
def test_of_overloads_the_one_with_as_many_arguments_is_shown() -> None:
    assert "String why" not in surefire("adds", "basket.add(9)")[f"{MAIN}/Basket.java"]


# AG-12
def test_a_method_that_a_superclass_of_another_module_defines_is_shown() -> None:
    code = surefire("weighs", "weight()")
    assert "return 41;" in code[f"{MAIN}/Shelf.java"]
    assert "other3(" not in code[f"{MAIN}/Shelf.java"]


# AG-12
def test_a_method_that_is_imported_statically_and_one_of_a_nested_class_are_shown() -> None:
    code = surefire("rounds", "rounded(17)")
    assert "return cents / 10;" in code[f"{MAIN}/money/Rounding.java"]
    assert "other3(" not in code[f"{MAIN}/money/Rounding.java"]
    nested = surefire("Modes.counts", "Mode.of")
    assert "return name.length();" in nested[f"{MAIN}/money/Rounding.java"]
    assert "other3(" not in nested[f"{MAIN}/money/Rounding.java"]


# AG-12
def test_a_variable_of_an_interface_shows_what_the_class_does_that_it_was_made_of() -> None:
    assert "return cents / 3;" in surefire("halves", "discount.off(4)")[f"{MAIN}/Half.java"]


# AG-12
def test_the_methods_of_the_frames_of_an_exception_are_shown_whole() -> None:
    add = line_of("return discount.off", f"{MAIN}/Basket.java", JAVA)
    log = SUREFIRE.format(test="adds", line=line_of("basket.add(9)", f"{TEST}/ShopTest.java", JAVA)).replace(
        "\tat org.junit.jupiter.api.AssertionFailureBuilder.build(AssertionFailureBuilder.java:151)\n",
        f"\tat org.example.shop.Basket.add(Basket.java:{add})\n",
    )
    basket = failed(log, JAVA)[f"{MAIN}/Basket.java"]
    assert "public int add(int cents, String why) {" in basket
    assert "private Discount discount;" in basket, "the field that it uses"


# AG-12
def test_a_gradle_log_that_names_the_test_alone_shows_what_the_test_is_about() -> None:
    log = "> Task :app:test FAILED\n\nShopTest > weighs() FAILED\n\n5 tests completed, 1 failed\n"
    assert "return 41;" in failed(log, JAVA)[f"{MAIN}/Shelf.java"]
    line = line_of("weight()", f"{TEST}/ShopTest.java", JAVA)
    short = log.replace("FAILED\n\n5", f"FAILED\n    org.opentest4j.AssertionFailedError at ShopTest.java:{line}\n\n5")
    assert "return 41;" in failed(short, JAVA)[f"{MAIN}/Shelf.java"]


# Kotlin's files leave out the folders that all packages begin with.
KOTLIN = {
    "src/main/kotlin/shop/Basket.kt": f"package org.example.shop\n\n{FUNS}"
    'open class Basket(private val limit: Int, val name: String = "mine") {\n'
    "    private val items = mutableListOf<Int>()\n\n"
    f"{OTHERS.replace('public int other', 'fun other').replace('(int value)', '(value: Int): Int')}"
    "    fun add(cents: Int): Int {\n        items.add(cents)\n        return minOf(cents, limit)\n    }\n\n"
    "    companion object {\n        fun of(limit: Int) = Basket(limit + 1)\n    }\n}\n",
    "src/main/kotlin/shop/money/Extensions.kt": f"package org.example.shop.money\n\n{FUNS}"
    "fun Int.rounded(by: Int = 10): Int = this / by\n\n"
    f"fun priced(cents: Int): Int {{\n    return cents.rounded() * 2\n}}\n\n{FUNS}",
    "src/main/kotlin/shop/Till.kt": f"package org.example.shop\n\n{FUNS}object Till {{\n"
    "    fun pay(cents: Int): Int = charged(cents)\n}\n\n"
    f"internal fun charged(cents: Int): Int {{\n    return cents + 1\n}}\n{FUNS}",
    "src/test/kotlin/shop/BasketTest.kt": "package org.example.shop\n\n"
    "import org.example.shop.money.priced as price\nimport org.example.shop.money.rounded\n"
    "import kotlin.test.BeforeTest\nimport kotlin.test.Test\nimport kotlin.test.assertEquals\n\n"
    "class BasketTest {\n    private lateinit var basket: Basket\n\n"
    "    @BeforeTest\n    fun fill() {\n        basket = Basket.of(7)\n    }\n\n"
    f"{OTHERS.replace('public int other', 'fun other').replace('(int value)', '(value: Int): Int')}"
    "    @Test\n    fun `adds no more than the limit`() {\n        assertEquals(7, basket.add(9))\n    }\n\n"
    "    @Test\n    fun rounds() {\n        assertEquals(2, 17.rounded())\n    }\n\n"
    "    @Test\n    fun prices() {\n        assertEquals(2, price(17))\n    }\n\n"
    "    @Test\n    fun pays() {\n        assertEquals(2, Till.pay(1))\n    }\n}\n",
}
GRADLE = """\
> Task :compileKotlin
> Task :test FAILED

BasketTest > {test}() FAILED
    org.opentest4j.AssertionFailedError: expected: <7> but was: <8>
        at org.junit.jupiter.api.AssertionFailureBuilder.build(AssertionFailureBuilder.java:151)
        at kotlin.test.junit5.JUnit5Asserter.assertEquals(JUnitSupport.kt:32)
        at org.example.shop.BasketTest.{test}(BasketTest.kt:{line})

4 tests completed, 1 failed

FAILURE: Build failed with an exception.
"""


def gradle(test: str, text: str) -> dict[str, str]:
    line = line_of(text, "src/test/kotlin/shop/BasketTest.kt", KOTLIN)
    return failed(GRADLE.format(test=test, line=line), KOTLIN)


# AG-12
def test_the_method_that_a_failed_kotlin_test_calls_is_shown_with_how_its_object_is_made() -> None:
    code = gradle("adds no more than the limit", "basket.add(9)")
    basket = code["src/main/kotlin/shop/Basket.kt"]
    assert "return minOf(cents, limit)" in basket
    assert "open class Basket(private val limit: Int" in basket
    assert "private val items = mutableListOf<Int>()" in basket
    assert "fun of(limit: Int) = Basket(limit + 1)" in basket, "the hook calls the companion's"
    assert "other3(" not in basket
    assert "basket = Basket.of(7)" in code["src/test/kotlin/shop/BasketTest.kt"]


# AG-12
def test_extension_functions_and_functions_of_no_class_are_shown_also_under_another_name() -> None:
    rounds = gradle("rounds", "17.rounded()")["src/main/kotlin/shop/money/Extensions.kt"]
    assert "fun Int.rounded(by: Int = 10): Int = this / by" in rounds
    assert "other3(" not in rounds
    prices = gradle("prices", "price(17)")["src/main/kotlin/shop/money/Extensions.kt"]
    assert "return cents.rounded() * 2" in prices
    assert "fun Int.rounded(" in prices


# AG-12
def test_an_object_of_the_same_package_and_the_function_it_calls_are_shown_without_an_import() -> None:
    till = gradle("pays", "Till.pay(1)")["src/main/kotlin/shop/Till.kt"]
    assert "fun pay(cents: Int): Int = charged(cents)" in till
    assert "return cents + 1" in till
    assert "other3(" not in till


# AG-12
def test_a_frame_of_a_kotlin_file_is_found_though_its_folders_leave_out_how_the_package_begins() -> None:
    line = line_of("return cents.rounded", "src/main/kotlin/shop/money/Extensions.kt", KOTLIN)
    log = GRADLE.format(test="pays", line=line_of("Till.pay(1)", "src/test/kotlin/shop/BasketTest.kt", KOTLIN)).replace(
        "        at kotlin.test",
        f"        at org.example.shop.money.ExtensionsKt.priced(Extensions.kt:{line})\n        at kotlin.test",
    )
    code = failed(log, KOTLIN)
    assert "fun priced(cents: Int): Int {" in code["src/main/kotlin/shop/money/Extensions.kt"]
    assert "fun pay(" in code["src/main/kotlin/shop/Till.kt"]


# AG-12
def test_a_java_test_is_shown_the_kotlin_functions_that_it_calls_by_the_name_of_their_file() -> None:
    test = "src/test/java/org/example/shop/TillTest.java"
    files = {
        **KOTLIN,
        test: "package org.example.shop;\n\nimport org.junit.Test;\n\npublic class TillTest {\n    @Test\n"
        "    public void charges() {\n        assertEquals(3, TillKt.charged(1));\n    }\n}\n",
    }
    error = CIError(
        id="E1", tool="junit", category=Category.TEST, file=test, line=8, message="x",
        test="org.example.shop.TillTest.charges",
    )  # fmt: skip
    assert "return cents + 1" in shown((error,), files)["src/main/kotlin/shop/Till.kt"]


# AG-12
def test_broken_endless_and_hostile_java_and_kotlin_give_what_they_can() -> None:
    deep, generic = "(" * 20_000, "<" * 2_000
    files = {
        "a/A.java": "package a;\nclass A extends B { @Test void t() { b(); this.c(); super.d(); new A().e(); } }\n",
        "a/B.java": "package a;\nclass B extends A implements B, C<A> { B x; }\n",
        "a/C.kt": "package a\ninterface C : C, A { fun b()\n",
        "a/D.java": f"class D {{ @Test void t() {{ b({deep}\n",
        "a/E.kt": f"class E {{ @Test fun `t`() {{ b{generic}\n",
        "a/F.java": "\x00\ufeffpackage ü;\nclass Ü { @Test void ä() { ä(); } }\n",
        "a/G.java": "class G { @Test void t() { " + "int a = b(" * 2_000 + "1" + ");" * 2_000 + "} }\n",
        "a/H.kt": "fun h() = " + "h { " * 3_000 + "\n",
        "a/I.java": "class I { "
        + "".join(f"void m({', '.join(['int x'] * n)}) {{ m(); }}\n" for n in range(200))
        + "}",
        "a/K.kt": "constructor(a: Int) { b() }\ninit { b() }\n",
        "a/L.java": "static { b(); }\nL(int x) { b(); }\n",
        "a/J.java": "@interface @interface class class { record enum }}}} import import.import.*;;\n",
    }
    for file in files:
        for line in (1, 2):
            error = CIError(
                id="E1", tool="junit", category=Category.TEST, file=file, line=line, message="`b` 'x' \"A\"",
                test="a.A.t > > [.(",
            )  # fmt: skip
            shown((error,), files)
    raw = {
        "a/A.java": "package a; class A { @Test void t() { b(); } }".encode("utf-16"),
        "a/B.kt": b"\xff\xfe\xe9" * 99,
    }
    view = DictView(raw)
    error = CIError(id="E1", tool="junit", category=Category.TEST, file="a/A.java", line=1, message="b", test="A.t")
    excerpts(cluster_of((error,)), [error], view.read, view.paths())
