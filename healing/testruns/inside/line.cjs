// The line to Heal, for node: synchronous, so that what was written is there whatever the process does next.
"use strict";
const { createHash } = require("crypto");
const fs = require("fs");
const net = require("net");
const path = require("path");

const WAIT = new Int32Array(new SharedArrayBuffer(4));
const TRIES = 20000;
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

function connected() {
  const socket = net.connect(path.join(__dirname, "report"));
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
  return { socket, fd, key: key.trim(), number: 0 };
}

exports.line = function line() {
  let to = null;
  let broken = false;
  return function send(told) {
    if (broken) return;
    try {
      if (to === null) to = connected();
      const text = Buffer.from(JSON.stringify(told));
      const mark = createHash("sha256").update(to.key + to.number).update(text).digest("hex").slice(0, 16);
      const bytes = Buffer.concat([Buffer.from(mark + " "), text, Buffer.from("\n")]);
      for (let at = 0; at < bytes.length; ) at += patiently(() => writeSync(to.fd, bytes, at));
      to.number++;
    } catch (error) {
      broken = true;
    }
  };
};
