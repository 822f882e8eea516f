"""Records the samples of C, C++ and other compiled languages: `python -m tests.logs.recorders.native [name…]`.

Wants gcc, clang, clang-tidy, clang-format, cppcheck, gfortran, cmake, ninja, valgrind and more; a run whose tool is
missing should not be written.
"""

import sys

from tests.logs.recorders.machine import Runs, write

C = {
    "src/till.h": "#ifndef TILL_H\n#define TILL_H\nint price(int n);\nint twice(int n)\n#endif\n",
    "src/main.c": (
        '#include <stdio.h>\n#include "till.h"\n\nstruct item { int count; };\n\nint main(void) {\n  struct item i;\n'
        '  int unused;\n  i.cuont = 3;\n  printf("%s\\n", i.count);\n  return undefined_name\n}\n'
    ),
    "src/gone.c": '#include "nowhere.h"\n',
}
WARN = {
    "src/a.c": (
        "#include <string.h>\n#include <stdlib.h>\n\nint first(int *p, unsigned n) {\n  int i;\n  char *s = "
        "malloc(3);\n"
        '  strcpy(s, "long");\n  for (i = 0; i < n; i++)\n    if (p[i] = 3) return i;\n}\n'
    )
}
CPP = {
    "src/a.cpp": (
        "#include <algorithm>\n#include <list>\n#include <string>\n\nstruct Shop { private: int till; };\n\n"
        "template <class T> T twice(T a) { return a * 2; }\n\nint main() {\n  std::list<int> l;\n  "
        "std::sort(l.begin(), l.end());\n"
        '  Shop s;\n  s.till = 1;\n  std::string w = twice(std::string("a"));\n  return w.lenght();\n}\n'
    )
}
TIDY = {
    "src/a.cpp": "#include <vector>\nint f(std::vector<int> v) {\n  int *p = 0;\n  if (v.size() == 0) return *p;\n  "
    "return 10 / 0;\n}\n"
}
LINK = {
    "a.c": "int missing(int);\nextern int gone;\nint twice(void) { return 2; }\nint main(void) { return missing(3) + "
    "gone; }\n",
    "b.c": "int twice(void) { return 3; }\n",
}
ASM = {"a.s": "main:\n\tmovv %eax, %ebx\n\tret\n", "b.asm": "section .text\nmain:\n  movv eax, 1\n  jmp nowhere\n"}
CMAKE = {
    "CMakeLists.txt": (
        "cmake_minimum_required(VERSION 3.10)\nproject(shop C)\ninclude(cmake/checks.cmake)\nneeds(3)\n"
        "find_package(Nowhere REQUIRED)\n"
    ),
    "cmake/checks.cmake": (
        'function(needs n)\n  message(WARNING "The till is old.\\n  It has ${n} drawers.")\n'
        '  message(SEND_ERROR "no drawer: ${n}")\nendfunction()\n'
    ),
}
CTEST = {
    "CMakeLists.txt": (
        "cmake_minimum_required(VERSION 3.10)\nproject(shop C)\nenable_testing()\nadd_executable(a a.c)\n"
        "add_test(NAME fails COMMAND a 1)\nadd_test(NAME passes COMMAND a 0)\nadd_test(NAME crashes COMMAND a 2)\n"
        "add_test(NAME sleeps COMMAND a 3)\nset_tests_properties(sleeps PROPERTIES TIMEOUT 1)\n"
    ),
    "a.c": (
        "#include <stdlib.h>\n#include <unistd.h>\n#include <signal.h>\nint main(int c, char **v) {\n  int n = "
        "atoi(v[1]);\n"
        "  if (n == 2) raise(SIGSEGV);\n  if (n == 3) sleep(5);\n  return n;\n}\n"
    ),
}
MEMORY = {
    "a.c": (
        "#include <stdlib.h>\n#include <stdio.h>\n\nstatic int look(int *p, int i) { return p[i]; }\n\n"
        "int main(int c, char **v) {\n  int *p = malloc(3 * sizeof *p);\n  p[0] = p[1] = p[2] = c;\n  int n = "
        "2147483647 + c * 0;\n"
        '  n += c;\n  printf("%d\\n", n);\n  n = look(p, 3 + c);\n  return n == 77;\n}\n'
    )
}
LEAK = {"a.c": "#include <stdlib.h>\nchar *keep(void) { return malloc(5); }\nint main(void) { keep(); return 0; }\n"}
RACE = {
    "a.c": (
        "#include <pthread.h>\nint n;\nvoid *add(void *p) { n++; return 0; }\nint main(void) {\n  pthread_t t;\n"
        "  pthread_create(&t, 0, add, 0);\n  n++;\n  pthread_join(t, 0);\n  return 0;\n}\n"
    )
}
FORTRAN = {
    "a.f90": "program shop\n  implicit none\n  integer :: n\n  n = total(3)\n  m = 2\n  cal two()\nend program\n"
}
MAKE = {"Makefile": "all: gone.o\n\t@true\n"}
BAD_MAKE = {"Makefile": "all:\n        echo no tab\n"}
NINJA = {"build.ninja": "rule cc\n  command = false\nbuild all: phony gone.c\n"}
MESON = {"meson.build": "project('shop', 'c')\ndependency('nowhere')\n"}
GTEST = {
    "a.cc": (
        "#include <gtest/gtest.h>\n\nint total(int a) { return a + 1; }\n\n"
        'TEST(Cart, Adds) {\n  EXPECT_EQ(total(2), 2) << "two stays two";\n  EXPECT_TRUE(total(1) == 1);\n}\n'
        'TEST(Cart, Fine) { printf("error: only words\\n"); }\n'
        "TEST(Cart, Throws) { throw 3; }\n"
        "class Sizes : public testing::TestWithParam<int> {};\nTEST_P(Sizes, Small) { ASSERT_LT(GetParam(), 3); }\n"
        "INSTANTIATE_TEST_SUITE_P(All, Sizes, testing::Values(1, 5));\n"
    )
}
GTEST_DIES = {
    "a.cc": ("#include <gtest/gtest.h>\n#include <cstdlib>\n\nTEST(Cart, Fine) {}\nTEST(Cart, Dies) { abort(); }\n")
}
CATCH = {
    "a.cpp": (
        "#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n\nint total(int a) { return a + 1; }\n\n"
        'TEST_CASE("a cart adds") {\n  SECTION("two") {\n    REQUIRE(total(2) == 2);\n  }\n  SECTION("one") {\n'
        '    CHECK(total(1) == 2);\n  }\n}\n\nTEST_CASE("a cart throws") {\n  throw std::runtime_error("no till");\n}\n'
    )
}
DOCTEST = {
    "a.cpp": (
        "#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN\n#include <doctest/doctest.h>\n#include <stdexcept>\n\nint "
        "total(int a) { return a + 1; }\n\n"
        'TEST_CASE("a cart adds") {\n  CHECK(total(2) == 2);\n  CHECK(total(1) == 2);\n}\n\n'
        'TEST_CASE("a cart throws") {\n  throw std::runtime_error("no till");\n}\n'
    )
}
BOOST = {
    "a.cpp": (
        "#define BOOST_TEST_MODULE shop\n#include <boost/test/included/unit_test.hpp>\n\nint total(int a) { return a "
        "+ 1; }\n\n"
        "BOOST_AUTO_TEST_SUITE(cart)\nBOOST_AUTO_TEST_CASE(adds) { BOOST_TEST(total(2) == 2); }\n"
        'BOOST_AUTO_TEST_CASE(throws) { throw std::runtime_error("no till"); }\nBOOST_AUTO_TEST_SUITE_END()\n'
    )
}
ADA = {"shop.adb": 'procedure Shop is\n   N : Integer := "x";\nbegin\n   Total (3);\nend Shop;\n'}
OCAML = {"shop.ml": 'let total a = a + 1\n\nlet two = total "x"\n'}
OCAML_WARNS = {"shop.ml": "let f x = match x with\n  | Some y -> 1\n"}
ELIXIR = {"shop.exs": "defmodule Shop do\n  def total(a), do: a + missing\nend\n"}
HASKELL = {
    "Shop.hs": "module Shop where\n\ntotal xs = foldr (\\x acc -> x + acc) 0 (map (\\x -> f x) xs)\n\nf a = if a == "
    "True then (1) else 0\n"
}
DOXYGEN = {
    "a.h": "/** \\file */\n/** Adds.\n * \\param b nothing\n * \\nocommand\n */\nint total(int a);\n\n/** \\ref "
    "nowhere */\nint two(void);\n",
    "Doxyfile": "PROJECT_NAME = shop\nINPUT = a.h nowhere.h\nGENERATE_LATEX = NO\nQUIET = YES\nWARN_IF_UNDOCUMENTED "
    "= YES\nEXTRACT_ALL = NO\nHAVE_DOT = NO\n",
}

RUNS: Runs = {
    "gcc/errors": (C, "gcc -Wall -c src/main.c -o out.o; gcc -c src/gone.c -o out.o"),
    "gcc/clang": (C, "clang -Wall -c src/main.c -o out.o; clang -c src/gone.c -o out.o"),
    "gcc/warnings": (WARN, "gcc -Wall -Wextra -O2 -Werror=parentheses -c src/a.c -o out.o"),
    "gcc/clang-warnings": (WARN, "clang -Wall -Wextra -c src/a.c -o out.o"),
    "gcc/templates": (CPP, "g++ -c src/a.cpp -o out.o 2>&1 | head -40"),
    "gcc/clang-templates": (CPP, "clang++ -c src/a.cpp -o out.o 2>&1 | head -60"),
    "gcc/clang-tidy": (TIDY, "clang-tidy --quiet -checks='bugprone-*,performance-*,clang-analyzer-*,modernize-*' "
                             "src/a.cpp -- 2>/dev/null"),
    "gcc/cppcheck": (TIDY | WARN, "cppcheck --quiet --enable=all --suppress=missingIncludeSystem src"),
    "gcc/clang-format": (CPP, "clang-format --dry-run --Werror src/a.cpp"),
    "gcc/asm": (ASM, "gcc -c a.s -o out.o; nasm -f elf64 b.asm -o out.o"),
    "gcc/gnat": (ADA, "gcc -c shop.adb"),
    "ld/gcc": (LINK, "gcc a.c b.c -o a -lnowhere; gcc a.c b.c -o a"),
    "ld/debug": (LINK, "gcc -g a.c b.c -o a"),
    "ld/lld": (LINK, "clang -fuse-ld=lld -g a.c b.c -o a -lnowhere; clang -fuse-ld=lld -g a.c b.c -o a"),
    "ld/gold": (LINK, "gcc -fuse-ld=gold a.c b.c -o a"),
    "cmake/configure": (CMAKE, "cmake -B build . 2>&1 | grep -v '^-- The C\\|^-- Detecting\\|^-- Check'"),
    "ctest/plain": (CTEST, "cmake -B build . >/dev/null && cmake --build build >/dev/null; cd build && ctest "
                           "--output-on-failure"),
    "sanitizers/asan": (MEMORY, "gcc -g -fsanitize=address a.c -o a && ./a"),
    "sanitizers/ubsan": (MEMORY, "clang -g -fsanitize=undefined a.c -o a && ./a"),
    "sanitizers/leak": (LEAK, "gcc -g -fsanitize=address a.c -o a && ./a"),
    "sanitizers/tsan": (RACE, "gcc -g -fsanitize=thread a.c -o a && ./a"),
    "sanitizers/valgrind": (MEMORY, "gcc -g a.c -o a && valgrind --leak-check=full ./a"),
    "functional/gfortran": (FORTRAN, "gfortran a.f90"),
    "functional/ocaml": (OCAML, "ocamlc shop.ml"),
    "functional/ocaml-warns": (OCAML_WARNS, "ocamlc shop.ml"),
    "functional/elixir": (ELIXIR, "elixir shop.exs"),
    "functional/hlint": (HASKELL, "hlint Shop.hs"),
    "make/no-rule": (MAKE, "make"),
    "make/separator": (BAD_MAKE, "make"),
    "make/ninja": (NINJA, "ninja"),
    "make/meson": (MESON, "meson setup build"),
    "gtest/plain": (GTEST, "g++ a.cc -o a -lgtest -lgtest_main -lpthread && ./a"),
    "gtest/dies": (GTEST_DIES, "g++ a.cc -o a -lgtest -lgtest_main -lpthread && ./a"),
    "catch/catch2": (CATCH, "g++ a.cpp -o a && ./a"),
    "catch/doctest": (DOCTEST, "g++ a.cpp -o a && ./a"),
    "unit/boost": (BOOST, "g++ a.cpp -o a && ./a"),
    "c-lint/flawfinder": (WARN, "flawfinder -Q -D -C src"),
    "c-lint/cppcheck-old": (TIDY | WARN, "cppcheck --quiet --enable=all --template='[{file}:{line}]: ({severity}) "
                                         "{message}' --suppress=missingIncludeSystem src"),
    "doxygen/plain": (DOXYGEN, "doxygen Doxyfile"),
}  # fmt: skip

if __name__ == "__main__":
    write(RUNS, sys.argv[1:])
