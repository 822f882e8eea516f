"""Records the samples of the JVM's tools: `python -m tests.logs.recorders.jvm [name…]`; wants them on the PATH."""

import sys

from tests.logs.recorders.machine import Runs, write

JAVA = {
    "src/shop/Cart.java": (
        "package shop;\n\nimport java.util.List;\nimport nowhere.Thing;\n\npublic class Cart {\n"
        "    private final List<Integer> prices = List.of();\n\n"
        "    int total() { return totl(); }\n\n    String name() { return 3; }\n\n"
        '    void two(int a, String b) { two("x"); }\n\n    static void stat() { total(); }\n}\n'
    ),
    "src/shop/Wrong.java": "package shop;\n\npublic class Other {\n}\n",
}
WARN = {
    "src/shop/Old.java": (
        "package shop;\n\nimport java.util.*;\n\nclass Old {\n    List list = new ArrayList();\n\n"
        "    void add() { list.add(new Integer(3)); }\n\n"
        "    int f(int n) { switch (n) { case 1: n++; case 2: } return n; }\n}\n"
    )
}
SYNTAX = {"src/shop/Bad.java": "package shop;\n\nclass Bad {\n    int total( { return 1; }\n\n    void open() {\n"}
CRASH = {
    "src/shop/Till.java": (
        "package shop;\n\npublic class Till {\n    static void open() { String s = null; s.length(); }\n\n"
        "    public static void main(String[] args) {\n        try { open(); } catch (Exception e) {\n"
        '            throw new IllegalStateException("no till", e);\n        }\n    }\n}\n'
    )
}
TESTS = {
    "src/shop/CartTest.java": (
        "package shop;\n\nimport static org.junit.Assert.*;\nimport static org.hamcrest.CoreMatchers.*;\n"
        "import org.junit.Test;\n\npublic class CartTest {\n    static int total(int a) { return a + 1; }\n\n"
        "    @Test public void adds() { assertEquals(3, total(3)); }\n\n"
        '    @Test public void loads() { throw new IllegalArgumentException("no cart"); }\n\n'
        "    @Test public void matches() { assertThat(total(1), is(5)); }\n\n"
        '    @Test public void says() { assertEquals("words differ", "one", "two"); }\n\n'
        '    @Test public void fine() { System.out.println("FAILED: only words"); }\n}\n'
    )
}
KOTLIN = {
    "Cart.kt": (
        "package shop\n\nclass Cart {\n    fun total(): Int = totl()\n    val name: String = 3\n"
        "    fun f(a: Int) { val unused = 1 }\n}\n"
    ),
    "Bad.kt": "package shop\n\nfun open( {\n",
}
SCALA = {
    "Cart.scala": (
        "package shop\n\nobject Cart {\n  def total: Int = totl\n  val name: String = 3\n  import nowhere.Thing\n}\n"
    )
}
BAD_SCALA = {"Bad.scala": "object Bad {\n  def open( = 1\n"}
ANT = {
    "build.xml": '<project default="main"><target name="main"><mkdir dir="out"/><javac srcdir="src" destdir="out" '
    'includeantruntime="false"/></target></project>\n'
}
CHECKSTYLE = {
    "checks.xml": (
        '<?xml version="1.0"?>\n<!DOCTYPE module PUBLIC "-//Checkstyle//DTD Checkstyle Configuration 1.3//EN" '
        '"https://checkstyle.org/dtds/configuration_1_3.dtd">\n<module name="Checker">'
        '<module name="FileTabCharacter"/><module name="TreeWalker"><module name="AvoidStarImport"/>'
        '<module name="NeedBraces"><property name="severity" value="warning"/></module>'
        '<module name="MagicNumber"/></module></module>\n'
    )
}
POM = {
    "pom.xml": (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>shop</groupId>'
        "<artifactId>shop</artifactId><version>1</version>\n<dependencies><dependency><groupId>nowhere</groupId>"
        "<artifactId>thing</artifactId></dependency></dependencies></project>\n"
    )
}
BAD_POM = {"pom.xml": "<project>\n  <modelVersion>4.0.0</modelVersion>\n  <oops>\n</project>\n"}
CP = "/usr/share/java/junit4.jar:/usr/share/java/hamcrest-all.jar"

RUNS: Runs = {
    "javac/errors": (JAVA, "javac -d out src/shop/*.java"),
    "javac/warnings": (WARN, "javac -Xlint:all -d out src/shop/*.java"),
    "javac/werror": (WARN, "javac -Xlint:rawtypes -Werror -d out src/shop/*.java"),
    "javac/syntax": (SYNTAX, "javac -d out src/shop/*.java"),
    "javac/raw": (JAVA, "javac -XDrawDiagnostics -d out src/shop/*.java"),
    "javac/usage": (JAVA, "javac -d out src/shop/Nowhere.java; javac --release 99 src/shop/Cart.java"),
    "javac/ant": (JAVA | ANT, "ant -q"),
    "java/crash": (CRASH, "javac -d out src/shop/*.java && java -cp out shop.Till"),
    "junit/text": (TESTS, f"javac -cp {CP} -d out src/shop/*.java && java -cp out:{CP} org.junit.runner.JUnitCore "
                          "shop.CartTest"),
    "kotlinc/errors": (KOTLIN, "kotlinc Cart.kt -d out 2>&1 | grep -v 'Illegal reflective\\|^WARNING\\|OpenJDK'"),
    "scalac/errors": (SCALA, "scalac Cart.scala"),
    "scalac/syntax": (BAD_SCALA, "scalac Bad.scala"),
    "maven/checkstyle-alone": (WARN | CHECKSTYLE, "checkstyle -c checks.xml src"),
    "maven/model": (POM, "mvn -B -o compile"),
    "maven/broken": (BAD_POM, "mvn -B -o compile"),
}  # fmt: skip

if __name__ == "__main__":
    write(RUNS, sys.argv[1:])
