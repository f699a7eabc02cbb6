/**
 * What somebody would try from inside a run: started by a configuration or a command, it writes down a line for all
 * that it reached. What to try is in TARGETS, where to write it in FOUND.
 */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import path from "node:path";

const { key, marker: backwards, processes, folders, fixed, address, own, searched } = JSON.parse(process.env.TARGETS);
const marker = [...backwards].reverse().join("");
const reached = new Set();
const ASKED_LATER =
  /^\/(proc\/(\d+|pressure|sys\/kernel\/ns_last_pid)|sys\/(kernel\/security|fs\/selinux|fs\/smackfs))$/;

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
attempt("settings of the machine", () => ["/proc", "/sys"].some(hasSetting));
// Of every process that shows its own: a file there can be opened by this name, whoever had it open.
for (const pid of readdirSync("/proc").filter((each) => /^\d+$/.test(each))) {
  for (const fd of namesOf(`/proc/${pid}/fd`)) attempt("a file that is open elsewhere", () => isOthers(pid, fd));
}
for (const at of mountPoints()) attempt("a folder of the machine", () => !isIn(at, own) && isWritable(at));
// The next run that looks here finds it.
const places = searched.map((folder) => path.join(folder, "left-behind"));
for (const place of places) attempt("what another run left", () => existsSync(place));
for (const place of places) attempt("nothing", () => writeFileSync(place, "") === "");
if (await reaches(address)) reached.add("metadata");
writeFileSync(process.env.FOUND, JSON.stringify([...reached].sort()), { mode: 0o666 });

function attempt(name, does) {
  try {
    if (does()) reached.add(name);
  } catch {
    // Not reached.
  }
}

/** Whether one below may be written to; nothing is opened. Of some the kernel asks who it is when that is done. */
function hasSetting(folder) {
  return entriesOf(folder).some((entry) => {
    const file = path.join(folder, entry.name);
    if (ASKED_LATER.test(file)) return false;
    if (!(entry.isDirectory() ? hasSetting(file) : entry.isFile() && isWritable(file))) return false;
    if (entry.isFile()) console.log(`may be written: ${file}`);
    return true;
  });
}

function isOthers(pid, fd) {
  const file = readlinkSync(`/proc/${pid}/fd/${fd}`);
  // A program written in Go keeps its limits in /sys open, to read.
  const others = file.startsWith("/") && !/^\/(dev|proc|sys)\/|^\/memfd:/.test(file) && !isIn(file, own);
  if (others) console.log(`open: ${file}`);
  return others;
}

function mountPoints() {
  const lines = text("/proc/self/mountinfo").split("\n").filter(Boolean);
  return lines.map((line) => line.split(" ")[4]);
}

function isIn(file, places) {
  return places.some((place) => file === place || file.startsWith(`${place}/`));
}

function isWritable(file) {
  try {
    accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function namesOf(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
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
