// A vitest reporter that reports to Heal.
import { createRequire } from "node:module";
import path from "node:path";

const { line } = createRequire(import.meta.url)("./line.cjs");

function outcome(task) {
  if (task.mode === "skip" || task.mode === "todo") return "skipped";
  const state = task.result && task.result.state;
  return state === "pass" ? "passed" : state === "fail" ? "failed" : "skipped";
}

function told(send, file, task, names) {
  const all = [...names, task.name];
  if (task.type === "suite") for (const one of task.tasks) told(send, file, one, all);
  else if (task.result || task.mode !== "run") send({ k: "test", id: `${file}[${all.join(" > ")}`, o: outcome(task) });
  else send({ k: "ids", ids: [`${file}[${all.join(" > ")}`] });
}

export default class Reporting {
  constructor() {
    this.send = line();
    this.send({ k: "open" });
  }

  onInit() {
    this.send({ k: "begin", runner: "vitest", cwd: process.cwd() });
  }

  onFinished(files = [], errors = []) {
    this.report(files, errors);
  }

  // Called from vitest 3 on; from 4 on instead of `onFinished`.
  onTestRunEnd(modules = [], errors = []) {
    this.report(modules.map((one) => one.task), errors);
  }

  report(files, errors) {
    if (this.ended) return;
    this.ended = true;
    for (const one of files) {
      const file = path.relative(process.cwd(), one.filepath).split(path.sep).join("/");
      for (const task of one.tasks) told(this.send, file, task, []);
      this.send({ k: "file", id: file, o: one.tasks.length ? "passed" : outcome(one) });
    }
    if (errors.length) this.send({ k: "file", id: "errors outside of tests", o: "failed" });
    this.send({ k: "end" });
  }
}
