// A node:test reporter that reports to Heal, and prints what node prints by default.
import { createRequire } from "node:module";
import path from "node:path";
import * as reporters from "node:test/reporters";
import { Readable } from "node:stream";

const { line } = createRequire(import.meta.url)("./line.cjs");
const major = Number(process.versions.node.split(".")[0]);

const relative = (file) => path.relative(process.cwd(), file).split(path.sep).join("/");
const isFile = (data) => data.nesting === 0 && data.file && path.resolve(data.name) === data.file;

// `read` are the files that were started but have no event of their own: node has one only for a file that ended before
// any of its tests, so without `read` such a file would be missing once it is fixed.
function told(send, stack, read, event) {
  const { type, data } = event;
  if (type === "test:dequeue" && isFile(data)) {
    read.add(relative(data.file));
  } else if (type === "test:start") {
    stack.length = data.nesting;
    stack[data.nesting] = data.name;
  } else if (type === "test:pass" || type === "test:fail") {
    const file = data.file ? relative(data.file) : "";
    const names = [...stack.slice(0, data.nesting), data.name];
    const skipped = data.skip !== undefined || (data.todo !== undefined && type === "test:pass");
    const outcome = skipped ? "skipped" : type === "test:pass" ? "passed" : data.todo !== undefined ? "skipped" : "failed";
    const whole = data.details && data.details.type === "suite";
    const ofFile = isFile(data);
    if (ofFile) read.delete(file);
    const name = ofFile ? file : `${file}[${names.join(" > ")}`;
    send({ k: whole || ofFile ? "file" : "test", id: name, o: outcome });
  }
}

async function* watched(source, send) {
  const stack = [];
  const read = new Set();
  let begun = false;
  for await (const event of source) {
    if (!begun) send({ k: "begin", runner: "node", cwd: process.cwd() });
    begun = true;
    told(send, stack, read, event);
    yield event;
  }
  for (const file of read) send({ k: "file", id: file, o: "passed" });
  if (begun) send({ k: "end" });
}

export default async function* reporting(source) {
  const send = line();
  const spec = process.stdout.isTTY || major >= 23;
  const events = watched(source, send);
  if (!spec) yield* reporters.tap(events);
  else {
    const Spec = reporters.spec;
    const stream = typeof Spec === "function" && Spec.prototype ? new Spec() : reporters.spec;
    for await (const text of Readable.from(events).pipe(stream)) yield text;
  }
}
