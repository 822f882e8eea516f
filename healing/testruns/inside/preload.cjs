// Loaded by every node that a step starts: makes jest, mocha and vitest report to Heal, and changes nothing else.
"use strict";
const path = require("path");

const script = process.argv[1] ? process.argv[1].split(path.sep).join("/") : "";

// Processes that a runner starts don't report, and see the original environment.
function leave() {
  const ours = new RegExp(`\\s*--(?:require|test-reporter)=${__dirname.replace(/[.*+?^$()|[\]\\{}]/g, "\\$&")}/\\S+`, "g");
  const rest = (process.env.NODE_OPTIONS || "").replace(ours, "").trim();
  if (rest) process.env.NODE_OPTIONS = rest;
  else delete process.env.NODE_OPTIONS;
}

function relative(file) {
  return path.relative(process.cwd(), file || "").split(path.sep).join("/");
}

// Replaces a module's exports, when it is loaded, by what `change` returns for them.
function whenLoaded(fits, change) {
  const Module = require("module");
  const load = Module._extensions[".js"];
  const changed = new Set();
  Module._extensions[".js"] = function (module, file) {
    load.apply(this, arguments);
    const name = file.split(path.sep).join("/");
    if (fits(name) && !changed.has(name)) {
      changed.add(name);
      try {
        module.exports = change(module.exports, name);
      } catch {
        // A runner that is built otherwise than expected runs as it is, and its output is read instead.
      }
    }
  };
}

function jest() {
  whenLoaded(
    (file) => file.endsWith("/jest-config/build/index.js"),
    (exports) => {
      const copy = Object.create(Object.getPrototypeOf(exports), Object.getOwnPropertyDescriptors(exports));
      const read = exports.readConfigs;
      const reporting = (found) => {
        const own = found.globalConfig.reporters || [["default", {}]];
        const reporters = [...own, [path.join(__dirname, "jest_reporter.cjs"), {}]];
        return { ...found, globalConfig: Object.freeze({ ...found.globalConfig, reporters }) };
      };
      // jest 24 and older read their settings synchronously, later ones by a promise.
      const readConfigs = function (...args) {
        const found = read.apply(this, args);
        return found && typeof found.then === "function" ? found.then(reporting) : reporting(found);
      };
      Object.defineProperty(copy, "readConfigs", { configurable: true, enumerable: true, value: readConfigs });
      return copy;
    },
  );
}

function mocha() {
  const send = require("./line.cjs").line();
  const title = (test) => `${relative(test.file)}[${test.titlePath().join(" > ")}`;
  const all = (suite) => [...suite.tests, ...suite.suites.flatMap(all)];
  let running = false;
  whenLoaded(
    (file) => /\/mocha\/lib\/(runner|nodejs\/parallel-buffered-runner)\.c?js$/.test(file),
    (exports) => {
      const Runner = exports.Runner || exports; // since mocha 12 a module with the class in it
      const run = Runner.prototype.run;
      if (!Object.prototype.hasOwnProperty.call(Runner.prototype, "run")) return exports;
      Runner.prototype.run = function () {
        if (running) return run.apply(this, arguments);
        running = true;
        leave(); // not earlier: `mocha` with options for node starts another node, which is then the runner
        send({ k: "begin", runner: "mocha", cwd: process.cwd() });
        const outcomes = new Map();
        const tell = (test, outcome) => {
          const id = title(test);
          if (outcomes.get(id) === "failed" || (test.type === "hook" && outcome !== "failed")) return;
          outcomes.set(id, outcome);
          send({ k: test.type === "hook" ? "file" : "test", id, o: outcome });
        };
        // What `--grep` leaves out isn't run, with or without a change.
        const chosen = (test) => !this._grep || this._grep.test(test.fullTitle()) !== Boolean(this._invert);
        if (this.suite) {
          send({ k: "ids", ids: all(this.suite).filter(chosen).map(title) });
        }
        this.on("pass", (test) => tell(test, "passed"));
        this.on("fail", (test) => tell(test, "failed"));
        this.on("pending", (test) => tell(test, "skipped"));
        this.once("end", () => send({ k: "end" }));
        return run.apply(this, arguments);
      };
      return exports;
    },
  );
}

function vitest() {
  const { pathToFileURL } = require("url");
  require("module").register(pathToFileURL(path.join(__dirname, "vitest_loader.mjs")).href, {
    data: { reporter: pathToFileURL(path.join(__dirname, "vitest_reporter.mjs")).href },
  });
}

if (!require("worker_threads").isMainThread) {
  // The runner reports what its workers run.
} else if (/\/jest\/bin\/jest\.js$|\/jest-cli\/bin\/jest\.js$|\/\.bin\/jest$/.test(script)) {
  leave();
  jest();
} else if (/\/mocha\/bin\/_?mocha(?:\.js)?$|\/mocha\/lib\/cli\/cli\.js$|\/\.bin\/_?mocha$/.test(script)) {
  mocha();
} else if (/\/vitest\/vitest\.mjs$|\/\.bin\/vitest$/.test(script)) {
  leave();
  vitest();
} else if (process.execArgv.includes("--test")) {
  leave();
}
