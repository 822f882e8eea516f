"""The small broken projects that JavaScript's tools are run on."""

# ruff: noqa: E501 - files of the projects, line for line

LINT = {
    "src/cart.js": "var price = 1;\nconst unused = 2;\nif (price == undefinedName) {\n  console.log('x')\n}\nexport function total() { return tax; }\n",
    "src/bad.js": "const cart = {;\n",
    "eslint.config.mjs": (
        "export default [{ rules: { 'no-undef': 'error', 'no-unused-vars': 'error', 'no-var': 'warn', eqeqeq: 'warn' } }];\n"
    ),
}
CRASH = {
    "src/cart.js": "let a = 1;\n",
    "eslint.config.mjs": "export default [{ rules: { 'nowhere/rule': 'error' } }];\n",
}
NO_CONFIG = {"src/cart.js": "let a = 1;\n"}
TYPES = {
    "src/cart.ts": (
        "import { nothing } from './nowhere';\nconst count: number = 'a';\n"
        "function size(box: { width: number; name: string }) {\n  return box.depth;\n}\n"
        "size({ width: '1', name: 2 });\nlet word: string | undefined;\nword.length;\n"
        "const wide: { a: { b: number } } = { a: { b: 'x' as string | undefined } };\n"
    ),
    "tsconfig.json": '{"compilerOptions": {"strict": true, "noEmit": true, "types": []}, "include": ["src"]}\n',
}
TYPE_TESTS = {
    "src/cart.d.ts": "export type Cart = { items: string[] };\nexport function cart(name: string): Carrt;\n",
    "src/cart.tst.ts": (
        "import { expect, test } from 'tstyche';\nimport { cart, type Basket } from './cart.js';\n\n"
        "test('a cart', () => {\n  const one: Basket = cart('a');\n  expect(cart('a')).type.toBe<string>();\n"
        "  expect(one.items).type.toBe<number[]>();\n});\n"
    ),
    "package.json": '{"type": "module"}\n',
    "tsconfig.json": '{"compilerOptions": {"strict": true, "noEmit": true, "types": []}, "include": ["src"]}\n',
}
BAD_TYPES = TYPES | {"src/bad.ts": "const = 3;\n"}
BAD_TSCONFIG = {"src/a.ts": "export {};\n", "tsconfig.json": '{"compilerOptions": {"strct": true, "target": "es99"}}\n'}
STYLES = {
    "css/shop.css": "a {\n  colr: red;\n  color: #ffff1;\n  color: red;\n}\nb {}\n",
    "css/open.css": ".x { color: blue;\n",
    ".stylelintrc.json": '{"extends": "stylelint-config-standard", "rules": {"color-no-invalid-hex": [true, {"severity": "warning"}]}}',
}
MARKDOWN = {
    "docs/readme.md": "Title\n==\n* item\n+ other   \n\n[a][b]\n### Deep\nlast line\n",
    ".remarkrc.mjs": "export default { plugins: ['remark-preset-lint-recommended'] };\n",
}
TSLINT = {
    "src/cart.ts": "var price = 'a'\nlet b = \"c\"\n",
    "tslint.json": '{"rules": {"no-var-keyword": true, "semicolon": [true, "always"], "quotemark": [true, "double"]}}',
}
BIOME = LINT | {"src/deb.ts": "import z from 'z';\nimport a from 'a';\ndebugger;\nlet x: any = a + z;\n"}
MESSY = {
    "src/cart.js": "var a = 1;;\n",
    "src/fine.js": "let a = 1;\n",
    "src/bad.js": "const a = {;\n",
    "css/x.css": "a {\n",
}
SVELTE = {
    "src/App.svelte": "<script lang='ts'>\n  let count: number = 'a';\n</script>\n<img src='x'>\n",
    "tsconfig.json": '{"compilerOptions": {"skipLibCheck": true}}',
}

SHOP = (
    "export function total(items) {\n  if (!items) throw new TypeError('no items')\n"
    "  return items.reduce((sum, item) => sum + item.price, 0)\n}\n"
)
CJS_SHOP = SHOP.replace("export function total", "exports.total = function")
BODY = (
    "describe('cart', () => {\n  describe('total', () => {\n"
    "    it('adds prices', () => {\n      expect(total([{ price: 1 }, { price: 2 }])).toBe(4)\n    })\n"
    "    it('copes with nothing', () => {\n      total()\n    })\n"
    "    it('is fine', () => {\n      expect(total([])).toBe(0)\n    })\n  })\n"
    "  it('compares deeply', () => {\n    expect({ a: 1, b: [1, 2] }).toEqual({ a: 1, b: [1, 3] })\n  })\n"
    "  it.each([1, 2])('is even: %i', n => {\n    expect(n % 2).toBe(0)\n  })\n"
    "  it('comes late', async () => {\n    await new Promise(() => {})\n  }, 50)\n"
    "  it('rejects', async () => {\n    await expect(Promise.resolve(1)).rejects.toThrow('no')\n  })\n"
    "  it('throws a word', () => {\n    throw 'just a word'\n  })\n"
    "  it.skip('is skipped', () => {})\n  it.todo('is to do')\n})\n"
)
JEST = {
    "package.json": '{"jest": {"testMatch": ["**/test/*.js"]}}',
    "src/cart.js": CJS_SHOP,
    "test/cart.test.js": "const { total } = require('../src/cart')\n\n" + BODY,
    "test/snap.test.js": "test('matches', () => {\n  expect({ a: 1 }).toMatchSnapshot()\n})\n"
    "test('is new', () => {\n  expect({ b: 1 }).toMatchSnapshot()\n})\n"
    "test('inline', () => {\n  expect('x').toMatchInlineSnapshot(`\"y\"`)\n})\n",
    "test/__snapshots__/snap.test.js.snap": "// Jest Snapshot v1, https://goo.gl/fbAQLP\n\nexports[`gone 1`] = `1`;\n\n"
    'exports[`matches 1`] = `\n{\n  "a": 2,\n}\n`;\n',
    "test/hooks.test.js": "beforeAll(() => {\n  throw new Error('no database')\n})\n\ntest('one', () => {})\ntest('two', () => {})\n",
    "test/gone.test.js": "const gone = require('../src/gone')\n\ntest('x', () => gone())\n",
    "test/syntax.test.js": "test('x', () => {\n  const a = {;\n})\n",
    "test/esm.test.js": "import fs from 'node:fs'\n\ntest('x', () => {})\n",
    "test/empty.test.js": "// nothing\n",
    "test/fine.test.js": "test('fine', () => {\n  console.error('Error: noise\\n    at src/cart.js:1:1')\n})\n",
}
JEST_FINE = {
    "package.json": '{"jest": {"testMatch": ["**/test/*.js"]}}',
    "test/fine.test.js": JEST["test/fine.test.js"],
}
COVERAGE = {
    "package.json": '{"jest": {"coverageThreshold": {"global": {"lines": 100, "branches": 100}, "./src/cart.js": {"functions": 100}}}}',
    "src/cart.js": CJS_SHOP,
    "cart.test.js": "const { total } = require('./src/cart')\ntest('x', () => expect(total([])).toBe(0))\n",
}
TS_JEST = {
    "package.json": '{"jest": {"preset": "ts-jest"}}',
    "tsconfig.json": '{"compilerOptions": {"esModuleInterop": true, "types": []}}',
    "src/cart.test.ts": "declare const test: any\nconst n: number = 'a'\ntest('x', () => n.nothing())\n",
}
VITEST = {
    "package.json": '{"type": "module"}',
    "src/cart.js": SHOP,
    "test/cart.test.js": "import { describe, expect, it } from 'vitest'\nimport { total } from '../src/cart.js'\n\n"
    + BODY,
    "test/gone.test.js": "import { expect, it } from 'vitest'\nimport gone from '../src/gone.js'\n\nit('x', () => gone())\n",
    "test/syntax.test.js": "import { it } from 'vitest'\nit('x', () => {\n  const a = {;\n})\n",
    "test/snap.test.js": "import { expect, test } from 'vitest'\ntest('matches', () => {\n  expect({ a: 1 }).toMatchInlineSnapshot(`2`)\n})\n"
    "test('is new', () => {\n  expect({ b: 1 }).toMatchSnapshot()\n})\n",
    "test/hooks.test.js": "import { beforeAll, test } from 'vitest'\nbeforeAll(() => {\n  throw new Error('no database')\n})\n\ntest('one', () => {})\n",
    "test/loose.test.js": "import { test } from 'vitest'\ntest('leaves something', () => {\n  setTimeout(() => { throw new Error('too late') }, 1)\n"
    "  return new Promise(done => setTimeout(done, 30))\n})\n",
    "test/empty.test.js": "",
    "test/fine.test.js": "import { test } from 'vitest'\ntest('fine', () => {\n  console.error('Error: noise')\n})\n",
}
CHAI = (
    "const assert = require('node:assert')\nconst { total } = require('../src/cart')\n\n"
    "describe('cart', () => {\n  describe('total', () => {\n"
    "    it('adds prices', () => {\n      assert.strictEqual(total([{ price: 1 }, { price: 2 }]), 4)\n    })\n"
    "    it('copes with nothing', () => {\n      total()\n    })\n    it('is fine', () => {})\n  })\n"
    "  it('compares deeply', () => {\n    assert.deepStrictEqual({ a: 1, b: [1, 2] }, { a: 1, b: [1, 3] })\n  })\n"
    "  it('says why', () => {\n    assert.ok(false, 'the cart is closed')\n  })\n"
    "  it('throws a word', () => {\n    throw 'just a word'\n  })\n"
)
MOCHA = {
    "src/cart.js": CJS_SHOP,
    "test/cart.js": CHAI + "  it('comes late', done => {}).timeout(20)\n"
    "  context('with hooks', () => {\n    before(() => {\n      throw new Error('no database')\n    })\n    it('one', () => {})\n  })\n"
    "  it.skip('is skipped', () => {})\n})\n",
}
MOCHA_GONE = {"test/gone.js": "require('../src/gone')\n"}
NODE_CRASH = {
    "plugin.js": "'use strict'\n\nfunction plugin () {}\n\nmodule.exports = plugn\n",
    **{
        f"test/{name}.test.js": "const test = require('node:test')\nconst plugin = require('../plugin')\n\n"
        f"test('{name}', () => plugin())\n"
        for name in "ab"
    },
    "test/c.test.js": "const test = require('node:test')\nconst assert = require('node:assert')\n\n"
    "test('c', () => assert.equal(1, 2))\n",
}
NODE_TEST = {
    "src/cart.js": CJS_SHOP,
    "test/cart.test.js": "const { describe, it } = require('node:test')\n"
    + CHAI
    + "  it('is skipped', { skip: true }, () => {})\n"
    "  it('is to do', { todo: true }, () => { throw new Error('not yet') })\n})\n",
    "test/gone.test.js": "require('../src/gone')\n",
}
TAPE = {
    "src/cart.js": CJS_SHOP,
    "test/cart.js": "const test = require('tape')\nconst { total } = require('../src/cart')\n\ntest('cart adds', t => {\n  t.equal(total([{ price: 1 }]), 2)\n"
    "  t.deepEqual({ a: [1] }, { a: [2] }, 'same shape')\n  t.pass('fine')\n  t.end()\n})\n"
    "test('cart copes', t => {\n  t.doesNotThrow(() => total())\n  t.end()\n})\n",
}
TAP = {
    name: text.replace("const test = require('tape')", "const { test } = require('tap')").replace("deepEqual", "same")
    for name, text in TAPE.items()
}
AVA = {
    "package.json": '{"type": "module"}',
    "src/cart.js": SHOP,
    "test/cart.test.js": "import test from 'ava'\nimport { total } from '../src/cart.js'\n\n"
    "test('adds prices', t => {\n  t.is(total([{ price: 1 }]), 2)\n})\n\ntest('copes', t => {\n  total()\n  t.pass()\n})\n\n"
    "test('deep', t => {\n  t.deepEqual({ a: [1] }, { a: [2] })\n})\n\ntest('fine', t => t.pass())\n\ntest('word', () => {\n  throw new Error('closed')\n})\n",
    "test/gone.test.js": "import gone from '../src/gone.js'\n",
}
JASMINE = {
    "src/cart.js": CJS_SHOP,
    "spec/cart.spec.js": "const { total } = require('../src/cart')\n\ndescribe('cart', () => {\n  describe('total', () => {\n"
    "    it('adds prices', () => {\n      expect(total([{ price: 1 }])).toBe(4)\n      expect(1).toEqual(2)\n    })\n"
    "    it('copes with nothing', () => {\n      total()\n    })\n  })\n  it('is fine', () => {})\n})\n",
}
PLAYWRIGHT = {
    "package.json": "{}",
    "playwright.config.js": "module.exports = { testDir: 'tests', retries: 1, reporter: process.env.REPORT || 'list', projects: [{ name: 'node' }] }\n",
    "tests/cart.spec.js": "const { test, expect } = require('@playwright/test')\n\ntest.describe('cart', () => {\n"
    "  test('adds prices', () => {\n    expect(1 + 2).toBe(4)\n  })\n"
    "  test('copes', async () => {\n    await test.step('a step', async () => {\n      throw new TypeError('no items')\n    })\n  })\n"
    "  test('flickers', ({}, info) => {\n    expect(info.retry).toBe(1)\n  })\n"
    "  test('late', async () => {\n    test.setTimeout(50)\n    await new Promise(() => {})\n  })\n"
    "  test('fine', () => {})\n})\n",
}

UNLOCKED = {
    "package.json": '{"name": "shop", "version": "1.0.0", "dependencies": {"left": "file:./left"}}',
    "left/package.json": '{"name": "left", "version": "1.0.0"}',
    "package-lock.json": '{"name": "shop", "version": "1.0.0", "lockfileVersion": 3, "packages": {"": {"name": "shop", "version": "1.0.0"}}}',
}
NODE = {
    "src/uncaught.js": "const { total } = require('./cart')\n\nfunction main() {\n  return total()\n}\nmain()\n",
    "src/cart.js": CJS_SHOP,
    "src/bad.js": "function f() {\n  const a = {;\n}\n",
    "src/gone.js": "require('./nowhere')\n",
    "src/gone.mjs": "import './nowhere.mjs'\n",
    "src/name.mjs": "import { nothing } from './names.mjs'\nnothing()\n",
    "src/names.mjs": "export const something = 1\n",
    "src/rejection.js": "async function main() {\n  throw new RangeError('too\\nfar')\n}\nmain()\n",
    "src/caught.js": "try {\n  require('./cart').total()\n} catch (error) {\n  console.error(error)\n  process.exit(1)\n}\n",
    "src/typed.ts": "const n: number = 'a'\nfunction f(): void {\n  throw new Error('typed: ' + n)\n}\nf()\n",
}

BUNDLE = {
    "package.json": '{"name": "shop", "version": "1.0.0"}',
    "src/index.js": "import { total } from './cart'\nimport gone from './gone'\nimport left from 'nothing-here'\nconsole.log(total, gone, left)\n",
    "src/cart.js": "export const totl = 1\n",
    "src/named.js": "import { total } from './cart.js'\nconsole.log(total)\n",
    "src/bad.js": "export const fine = 1\nconst a = {;\n",
    "src/worse.js": "export const fine = 1\n\nfunction f() {\n  const a = {;\n}\n",
    "src/typed.ts": "import { x } from './names'\nconst n: number = 'a'\nexport default n\n",
    "src/names.ts": "export const y = 1\n",
    "index.html": "<!doctype html><script type='module' src='/src/index.js'></script>\n",
    "tsconfig.json": '{"compilerOptions": {"strict": true, "types": []}}',
    "webpack.config.js": (
        "module.exports = { mode: 'production', entry: process.env.ENTRY || './src/index.js', resolve: { extensions: ['.ts', '.js'] },\n"
        "  module: { rules: [{ test: /\\.ts$/, use: 'ts-loader' }, { test: /bad\\.js$/, use: 'babel-loader' }] } }\n"
    ),
}
FLOW = {
    ".flowconfig": "",
    "src/cart.js": "// @flow\nconst n: number = 'a';\nfunction f(p: {a: string}) { return p.b }\nf({a: 1});\n",
}
DENO = {
    "src/cart.ts": "const n: number = 'a'\nlet unused = 1\nfunction f() { return y }\nexport const t = n\n",
    "src/cart_test.ts": "import { same } from './assert.ts'\nDeno.test('adds', () => {\n  same(1 + 1, 3)\n})\n"
    "Deno.test('nested', async (t) => {\n  await t.step('one', () => { throw new TypeError('no items') })\n})\nDeno.test('fine', () => {})\n",
    "src/assert.ts": "export function same(a: unknown, b: unknown) {\n  if (a !== b) throw new Error(`not equal: ${a} ${b}`)\n}\n",
    "src/thrown.ts": "function f() {\n  throw new RangeError('too far')\n}\nf()\n",
    "src/bun.test.ts": "// deno-lint-ignore-file\nimport { expect, test, describe } from 'bun:test'\ndescribe('cart', () => {\n  test('adds', () => {\n"
    "    expect(1 + 2).toBe(4)\n  })\n  test('fine', () => {})\n  test('throws', () => {\n    throw new TypeError('no items')\n  })\n})\n",
}
KARMA = {
    "karma.conf.js": (
        "module.exports = config => config.set({ frameworks: ['jasmine'], files: ['src/*.js'], browsers: ['jsdom'], colors: false,\n"
        "  plugins: [require('karma-jasmine'), require('karma-jsdom-launcher')] })\n"
    ),
    "src/cart.spec.js": "describe('cart', () => {\n  it('adds prices', () => {\n    expect(1 + 2).toBe(4)\n  })\n"
    "  it('throws', () => {\n    throw new TypeError('no items')\n  })\n  it('is fine', () => {})\n})\n",
}
NEXT = {
    "package.json": '{"name": "shop"}',
    "app/page.tsx": "const n: number = 'a'\nexport default function Page() {\n  return <p>{n}</p>\n}\n",
    "app/layout.tsx": "export default function Layout({ children }: { children: React.ReactNode }) {\n"
    "  return <html><body>{children}</body></html>\n}\n",
    "tsconfig.json": '{"compilerOptions": {"strict": true, "jsx": "preserve", "noEmit": true, "module": "esnext", "moduleResolution": "bundler", "skipLibCheck": true}}',
}
