"""The small broken projects that JavaScript's tools are run on, and the commands."""

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

RUNS: dict[str, tuple[str, dict[str, str], str]] = {
    "eslint/stylish": ("a", LINT, "eslint src"),
    "eslint-crash/plugin": ("a", CRASH, "eslint src"),
    "eslint-crash/no-config": ("a", NO_CONFIG, "eslint src"),
    "eslint-one-line/compact": ("a", LINT, "eslint -f compact src"),
    "eslint-one-line/unix": ("a", LINT, "eslint -f unix src"),
    "eslint-one-line/visualstudio": ("a", LINT, "eslint -f visualstudio src"),
    "eslint-one-line/codeframe": ("a", LINT, "eslint -f codeframe src"),
    "eslint-one-line/oxlint-unix": ("a", LINT, "oxlint -f unix src"),
    "eslint-one-line/stylelint-unix": ("a", STYLES, "stylelint -f unix css/*.css"),
    "eslint-one-line/stylelint-compact": ("a", STYLES, "stylelint -f compact css/*.css"),
    "eslint/oxlint": ("a", LINT, "oxlint -f stylish src"),
    "oxlint/plain": ("a", LINT, "oxlint src"),
    "standard/plain": ("a", LINT, "standard 'src/*.js'"),
    "jshint/plain": ("a", LINT, "jshint src"),
    "jshint/verbose": ("a", LINT, "jshint --verbose src"),
    "tslint/prose": ("a", TSLINT, "tslint 'src/*.ts'"),
    "tslint/verbose": ("a", TSLINT, "tslint -t verbose 'src/*.ts'"),
    "tslint-stylish/plain": ("a", TSLINT, "tslint -t stylish 'src/*.ts'"),
    "tsc/plain": ("a", TYPES, "tsc"),
    "tsc/pretty": ("a", TYPES, "tsc --pretty"),
    "tsc/syntax": ("a", BAD_TYPES, "tsc --pretty"),
    "tsc/config": ("a", BAD_TSCONFIG, "tsc"),
    "tsc/vue": ("a", TYPES, "vue-tsc --noEmit"),
    "tsc/build": ("a", TYPES, "tsc -b"),
    "tsc/missing-file": ("a", {}, "tsc nothing.ts"),
    "stylelint/string": ("a", STYLES, "stylelint css/*.css"),
    "stylelint/verbose": ("a", STYLES, "stylelint -f verbose css/*.css"),
    "remark/plain": ("a", MARKDOWN, "remark --frail docs"),
    "markdownlint/cli": ("a", MARKDOWN, "markdownlint docs"),
    "markdownlint/cli2": ("a", MARKDOWN, "markdownlint-cli2 'docs/*.md'"),
    "biome/check": ("a", BIOME, "biome check src"),
    "biome/ci": ("a", BIOME, "biome ci src"),
    "biome/format": ("a", MESSY, "biome format src"),
    "biome/old": ("a", BIOME, "node node_modules/biome1/bin/biome check src"),
    "biome/older": ("a", BIOME, "node node_modules/biome12/bin/biome ci src"),
    "biome/configuration": ("a", BIOME | {"biome.json": '{"linter": {"rulez": {}}}'}, "biome check src"),
    "prettier/check": ("a", MESSY, "prettier --check ."),
    "prettier/old": ("a", MESSY, "node node_modules/prettier2/bin-prettier.js --check src"),
    "prettier/list": ("a", MESSY | {"package.json": '{"scripts": {"format": "prettier -l src"}}'}, "npm run format"),
    "svelte-check/human": ("a", SVELTE, "svelte-check"),
    "svelte-check/machine": ("a", SVELTE, "svelte-check --output machine"),
    "jest/plain": ("b", JEST, "jest --ci"),
    "jest/verbose": ("b", JEST, "jest --ci --verbose --colors"),
    "jest/thirty": ("d", JEST, "node node_modules/jest30/bin/jest.js --ci"),
    "jest/twenty-seven": ("d", JEST, "node node_modules/jest27/bin/jest.js --ci"),
    "jest/coverage": ("b", COVERAGE, "jest --coverage"),
    "jest/ts-jest": ("d", TS_JEST, "node node_modules/jest30/bin/jest.js"),
    "jest/nothing": ("b", {"package.json": "{}"}, "jest"),
    "jest/config": ("b", {"package.json": '{"jest": {"preset": "nowhere"}}'}, "jest"),
    "jest/fine": ("b", JEST_FINE, "jest"),
    "vitest/plain": ("b", VITEST, "vitest run"),
    "vitest/verbose": ("b", VITEST, "vitest run --reporter=verbose"),
    "vitest/github": ("b", VITEST, "GITHUB_ACTIONS=true vitest run"),
    "tap/vitest": ("b", VITEST, "vitest run --reporter=tap-flat"),
    "vitest/one": ("d", VITEST, "node node_modules/vitest1/vitest.mjs run"),
    "vitest/zero": ("d", VITEST, "node node_modules/vitest0/vitest.mjs run"),
    "mocha/spec": ("b", MOCHA, "mocha"),
    "mocha/dot": ("b", MOCHA, "mocha --reporter dot --color"),
    "mocha/gone": ("b", MOCHA_GONE, "mocha"),
    "tap/mocha": ("b", MOCHA, "mocha --reporter tap"),
    "node-test/spec": ("b", NODE_TEST, "node --test --test-reporter=spec test/"),
    "tap/node": ("b", NODE_TEST, "node --test --test-reporter=tap test/"),
    "tap/tape": ("b", TAPE, "node test/cart.js"),
    "tap/tap16": ("b", TAP, "tap --no-coverage -Rtap test/cart.js"),
    "tap/tap16-base": ("b", TAP, "tap --no-coverage test/cart.js"),
    "tap/tap18": (
        "d",
        TAP,
        "rm node_modules; mkdir node_modules; ln -s $TOOLS/* $TOOLS/.bin $TOOLS/@* node_modules/; rm -f node_modules/tap; ln -s $TOOLS/tap18 node_modules/tap; node node_modules/tap18/dist/esm/run.mjs --disable-coverage test/cart.js",
    ),
    "ava/plain": ("b", AVA, "ava"),
    "tap/ava": ("b", AVA, "ava --tap"),
    "jasmine/plain": ("b", JASMINE, "jasmine 'spec/*.js'"),
    "playwright/list": ("d", PLAYWRIGHT, "playwright test"),
    "playwright/dot": ("d", PLAYWRIGHT, "REPORT=dot playwright test"),
    "playwright/github": ("d", PLAYWRIGHT, "REPORT=github playwright test"),
    "node/uncaught": ("b", NODE, "node src/uncaught.js"),
    "node/syntax": ("b", NODE, "node src/bad.js"),
    "node/gone": ("b", NODE, "node src/gone.js"),
    "node/esm-gone": ("b", NODE, "node src/gone.mjs"),
    "node/esm-name": ("b", NODE, "node src/name.mjs"),
    "node/rejection": ("b", NODE, "node src/rejection.js"),
    "node/no-file": ("b", NODE, "node src/nothing.js"),
    "node-printed/caught": ("b", NODE, "node src/caught.js"),
    "node/tsx": ("c", NODE, "tsx src/typed.ts"),
    "node/ts-node": ("c", NODE, "ts-node src/typed.ts"),
    "npm/missing-script": ("b", {"package.json": '{"scripts": {"test": "exit 1"}}'}, "npm run tset"),
    "npm/no-package": ("b", {}, "npm ci"),
    "npm/no-lock": ("b", {"package.json": "{}"}, "npm ci"),
    "npm/json": ("b", {"package.json": '{"a": 1,}'}, "npm run test"),
    "npm/unlocked": ("b", UNLOCKED, "rm node_modules; npm ci --offline"),
    "pnpm/unlocked": (
        "d",
        {
            "package.json": '{"dependencies": {"left": "1.0.0"}}',
            "pnpm-lock.yaml": "lockfileVersion: '9.0'\nimporters:\n  .: {}\n",
        },
        "rm node_modules; $TOOLS/.bin/pnpm install --frozen-lockfile --offline",
    ),
    "pnpm/no-lock": (
        "d",
        {"package.json": '{"dependencies": {"left": "1.0.0"}}'},
        "rm node_modules; $TOOLS/.bin/pnpm install --frozen-lockfile --offline",
    ),
    "yarn/one-unlocked": (
        "d",
        {"package.json": '{"dependencies": {"left": "1.0.0"}}', "yarn.lock": "# yarn lockfile v1\n"},
        "rm node_modules; $TOOLS/.bin/yarn install --frozen-lockfile --offline",
    ),
    "yarn/one-command": ("d", {"package.json": "{}"}, "yarn nothing"),
    "xo/plain": ("a", LINT, "eslint -f pretty src"),
    "webpack/resolve": ("c", BUNDLE, "webpack"),
    "webpack/babel": ("c", BUNDLE, "ENTRY=./src/bad.js webpack"),
    "webpack/types": ("c", BUNDLE, "ENTRY=./src/typed.ts webpack"),
    "webpack/parse": ("c", BUNDLE, "ENTRY=./src/worse.js webpack"),
    "rollup/vite": ("c", BUNDLE, "vite build"),
    "rollup/vite-syntax": (
        "c",
        BUNDLE | {"index.html": BUNDLE["index.html"].replace("index.js", "bad.js")},
        "vite build",
    ),
    "rollup/resolve": ("c", BUNDLE, "rollup src/index.js -d out"),
    "rollup/syntax": ("c", BUNDLE, "rollup src/bad.js -d out"),
    "rollup/export": ("c", BUNDLE, "rollup src/named.js -d out"),
    "esbuild/bundle": ("c", BUNDLE, "esbuild src/index.js --bundle --outfile=out.js"),
    "esbuild/syntax": ("c", BUNDLE, "esbuild src/bad.js"),
    "node/babel": ("c", BUNDLE, "babel src/bad.js"),
    "oxlint/swc": ("c", BUNDLE, "swc src/worse.js -o out.js"),
    "tsc/typedoc": ("c", BUNDLE, "typedoc src/typed.ts"),
    "parcel/resolve": ("c", BUNDLE, "parcel build src/index.js --no-cache"),
    "parcel/syntax": ("c", BUNDLE, "parcel build src/bad.js --no-cache --no-optimize"),
    "flow/plain": ("d", FLOW, "flow check --color=never 2>/dev/null"),
    "deno/lint": ("f", DENO, "NO_COLOR=1 deno lint src"),
    "deno/lint-compact": ("f", DENO, "NO_COLOR=1 deno lint --compact src"),
    "deno/check": ("f", DENO, "NO_COLOR=1 deno check src/cart.ts"),
    "deno/fmt": ("f", DENO, "NO_COLOR=1 deno fmt --check src"),
    "deno/test": ("f", DENO, "NO_COLOR=1 deno test --no-lock src"),
    "deno/run": ("f", DENO, "NO_COLOR=1 deno run src/thrown.ts"),
    "bun/test": ("f", DENO, "bun test src/bun.test.ts"),
    "karma/jasmine": ("f", KARMA, "karma start karma.conf.js --single-run"),
    "next/types": ("e", NEXT, "next build"),
    "next/gone": (
        "e",
        NEXT | {"app/page.tsx": "import x from './gone'\nexport default function Page() { return <p>{x}</p> }\n"},
        "next build",
    ),
    "oxlint/next": (
        "e",
        NEXT | {"app/page.tsx": "export default function Page() {\n  return <p>{</p>\n}\n"},
        "next build",
    ),
}
