// The connection to Heal for node: synchronous, so that what was written arrives whatever the process does next.
"use strict";
const { createHash, randomBytes } = require("crypto");
const fs = require("fs");
const net = require("net");
const path = require("path");

const WAIT = new Int32Array(new SharedArrayBuffer(4));
const TRIES = 20000;
const MOST_ID = 500;
const readSync = fs.readSync;
const writeSync = fs.writeSync;

function patiently(act) {
  for (let left = TRIES; ; left--) {
    try {
      return act();
    } catch (error) {
      if (error.code !== "EAGAIN" || !left) throw error;
      Atomics.wait(WAIT, 0, 0, 1);
    }
  }
}

function piped(to) {
  const key = randomBytes(16).toString("hex");
  const fd = fs.openSync(to, fs.constants.O_WRONLY);
  writeSync(fd, Buffer.from(`${process.pid} key ${key}\n`));
  return { fd, key, number: 0, first: `${process.pid} `, size: 1 };
}

function connected() {
  const to = path.join(__dirname, "report");
  if (fs.statSync(to).isFIFO()) return piped(to);
  const socket = net.connect(to);
  socket.on("error", () => {});
  socket.pause();
  socket.unref();
  const fd = socket._handle && socket._handle.fd;
  if (!(fd >= 0)) throw new Error("no descriptor");
  const room = Buffer.alloc(64);
  let key = "";
  while (!key.endsWith("\n")) {
    const size = patiently(() => readSync(fd, room));
    if (!size) throw new Error("no key");
    key += room.toString("latin1", 0, size);
  }
  return { socket, fd, key: key.trim(), number: 0, first: "", size: 400 };
}

// An id short enough for a pipe to write it in one piece.
function bounded(id) {
  if (typeof id !== "string" || id.length <= MOST_ID) return id;
  return id.slice(0, MOST_ID) + createHash("sha256").update(id).digest("hex");
}

function write(to, told) {
  const text = Buffer.from(JSON.stringify(told));
  const mark = createHash("sha256").update(to.key + to.number).update(text).digest("hex").slice(0, 16);
  const bytes = Buffer.concat([Buffer.from(`${to.first}${mark} `), text, Buffer.from("\n")]);
  for (let at = 0; at < bytes.length; ) at += patiently(() => writeSync(to.fd, bytes, at));
  to.number++;
}

exports.line = function line() {
  let to = null;
  let broken = false;
  return function send(told) {
    if (broken) return;
    try {
      if (to === null) to = connected();
      if (told.ids) {
        const ids = told.ids.map(bounded);
        for (let at = 0; at < ids.length; at += to.size) write(to, { k: "ids", ids: ids.slice(at, at + to.size) });
      } else write(to, "id" in told ? { ...told, id: bounded(told.id) } : told);
    } catch (error) {
      broken = true;
    }
  };
};
