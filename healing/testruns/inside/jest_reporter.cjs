// A jest reporter that reports to Heal.
"use strict";
const path = require("path");
const { line } = require("./line.cjs");

const OUTCOMES = { passed: "passed", failed: "failed" };

module.exports = class Reporting {
  constructor() {
    this.send = line();
    this.send({ k: "begin", runner: "jest", cwd: process.cwd() });
  }

  onTestResult(test, result) {
    const file = path.relative(process.cwd(), test.path).split(path.sep).join("/");
    for (const one of result.testResults)
      this.send({
        k: "test",
        id: `${file}[${[...one.ancestorTitles, one.title].join(" > ")}`,
        o: OUTCOMES[one.status] || "skipped",
      });
    const failed = result.testExecError || (result.failureMessage && !result.testResults.length);
    this.send({ k: "file", id: file, o: failed ? "failed" : result.testResults.length ? "passed" : "skipped" });
  }

  onRunComplete() {
    this.send({ k: "end" });
  }
};
