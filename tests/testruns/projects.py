"""Small projects with one failing test each, and the commands of every runner."""

from tests.pipeline.bench import Files

PYTHON: Files = {
    "shop.py": "def total(prices):\n    return sum(prices) + 1\n",
    "test_shop.py": """
import unittest

import pytest

from shop import total


class Thing:
    pass


@pytest.mark.parametrize("thing", [Thing(), {"b", "a"}, "ä [x] ::", object()], ids=repr)
def test_odd(thing):
    assert thing


def test_first():
    assert total([-1]) == 0 or True


def test_total():
    assert total([1, 2]) == 3


@pytest.mark.xfail
def test_later():
    assert 0


class InClass(unittest.TestCase):
    def test_sum(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertGreaterEqual(total([number]), number)

    @unittest.skip("not here")
    def test_skipped(self):
        pass
""",
}
UNITTEST: Files = {
    "shop.py": "def total(prices):\n    return sum(prices) + 1\n",
    "test_shop.py": """
import unittest

import shop


class Totals(unittest.TestCase):
    def test_first(self):
        shop.total([])

    def test_parts(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertGreaterEqual(shop.total([number]), number)

    @unittest.skip("not here")
    def test_skipped(self):
        pass

    def test_total(self):
        self.assertEqual(shop.total([1, 2]), 3)


if __name__ == "__main__":
    unittest.main()
""",
}
SUM = "exports.sum = (a, b) => a + b + 1;\n"
JEST: Files = {
    "package.json": '{"name": "shop", "version": "1.0.0", "private": true, "scripts": {"test": "jest"}}',
    "sum.js": SUM,
    "sum.test.js": """
const { sum } = require("./sum");
describe("sum [x] ä", () => {
  test("first", () => { sum(1, 1); });
  test("adds", () => { expect(sum(1, 2)).toBe(3); });
  test.skip("not here", () => {});
});
""",
}
MOCHA: Files = {
    "package.json": '{"name": "shop", "version": "1.0.0", "private": true, "scripts": {"test": "mocha sum.spec.js"}}',
    "sum.js": SUM,
    "sum.spec.js": """
const assert = require("assert");
const { sum } = require("./sum");
describe("sum", () => {
  it("first", () => { sum(1, 1); });
  it("adds", () => { assert.strictEqual(sum(1, 2), 3); });
  it.skip("not here", () => {});
});
""",
}
NODE: Files = {
    "package.json": '{"name": "shop", "version": "1.0.0", "private": true, "scripts": {"test": "node --test"}}',
    "sum.js": SUM,
    "sum.test.js": """
const { test, describe, it } = require("node:test");
const assert = require("node:assert");
const { sum } = require("./sum");
test("first", () => { sum(1, 1); });
test("adds", () => { assert.strictEqual(sum(1, 2), 3); });
test("not here", { skip: true }, () => {});
describe("deep", () => { it("one", () => { assert.ok(sum(1, 1)); }); });
""",
}
VITEST: Files = {
    "package.json": '{"name": "shop", "version": "1.0.0", "private": true, "type": "module"}',
    "sum.js": "export const sum = (a, b) => a + b + 1;\n",
    "sum.test.js": """
import { describe, expect, test } from "vitest";
import { sum } from "./sum.js";
describe("sum", () => {
  test("first", () => { sum(1, 1); });
  test("adds", () => { expect(sum(1, 2)).toBe(3); });
  test.skip("not here", () => {});
});
""",
}
GO: Files = {
    "go.mod": "module example.com/shop\n\ngo 1.19\n",
    "shop.go": "package shop\n\nfunc Sum(a, b int) int { return a + b + 1 }\n",
    "shop_test.go": """package shop

import "testing"

func TestFirst(t *testing.T) { t.Log("fine"); Sum(1, 1) }

func TestAdds(t *testing.T) {
	t.Run("one/two", func(t *testing.T) {
		if Sum(1, 2) != 3 {
			t.Errorf("no")
		}
	})
}

func TestSkipped(t *testing.T) { t.Skip("not here") }
""",
}
RUST: Files = {
    "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": "pub fn sum(a: i32, b: i32) -> i32 { a + b + 1 }\n",
    "tests/adds.rs": """
#[test]
fn a_first() { shop::sum(1, 1); }
#[test]
fn adds() { assert_eq!(shop::sum(1, 2), 3); }
#[test]
#[ignore]
fn skipped() {}
""",
}
