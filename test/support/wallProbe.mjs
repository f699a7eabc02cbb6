/**
 * What somebody would try from inside a run: started by a configuration or a command, it writes down a line for all
 * that it reached. What to try is in TARGETS, where to write it in FOUND.
 */
import { closeSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";

const { key, marker: backwards, processes, folders, fixed, address } = JSON.parse(process.env.TARGETS);
const marker = [...backwards].reverse().join("");
const reached = new Set();

attempt("key", () => readFileSync(key, "utf8").includes("PRIVATE KEY"));
for (const { pid, startedAt, whose } of processes) {
  // Behind a wall an id may be another process's.
  if (text(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ")[19] !== startedAt) continue;
  attempt(`${whose}: environment`, () => readFileSync(`/proc/${pid}/environ`).length >= 0);
  attempt(`${whose}: memory`, () => closeSync(openSync(`/proc/${pid}/mem`, "r+")) === undefined);
  attempt(`${whose}: descriptors`, () => readdirSync(`/proc/${pid}/fd`).length > 0);
  attempt(`${whose}: files`, () => readdirSync(`/proc/${pid}/root`).length > 0);
  attempt(`${whose}: signals`, () => process.kill(pid, 0));
}
for (const name of readdirSync("/proc").filter((each) => /^\d+$/.test(each)))
  attempt("another run: secrets in an environment", () => text(`/proc/${name}/environ`).includes(marker));
for (const folder of folders) search(folder, 6);
for (const [what, file] of Object.entries(fixed)) {
  attempt(`writes: ${what}`, () => {
    if (statSync(file).isDirectory()) writeFileSync(path.join(file, "poison"), "poison");
    else closeSync(openSync(file, "a"));
    return true;
  });
}
if (await reaches(address)) reached.add("metadata");
writeFileSync(process.env.FOUND, JSON.stringify([...reached].sort()), { mode: 0o666 });

function attempt(name, does) {
  try {
    if (does()) reached.add(name);
  } catch {
    // Not reached.
  }
}

function search(folder, depth) {
  for (const entry of entriesOf(folder)) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory() && depth > 0) search(file, depth - 1);
    else if (entry.isFile()) attempt("another run: files of its directory", () => text(file).includes(marker));
  }
}

function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function text(file) {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}

function reaches({ host, port }) {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 1_000 });
    for (const event of ["connect", "timeout", "error"]) {
      socket.once(event, () => {
        socket.destroy();
        resolve(event === "connect");
      });
    }
  });
}
