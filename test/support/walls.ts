/** The walls that this machine can make, and a stand-in for what an operator's launch command starts. */
import { spawnSync } from "node:child_process";
import path from "node:path";

const PROJECT = path.resolve(import.meta.dirname, "../..");
const hasBubblewrap = spawnSync("bwrap", ["--ro-bind", "/", "/", "true"]).status === 0;
const isRoot = process.getuid?.() === 0;

export const WALLS = [
  ...(hasBubblewrap ? ["bubblewrap"] : []),
  ...(isRoot ? ["user"] : []),
  ...(hasBubblewrap ? ["command"] : []),
];

/** A container made by hand. What it may write to stands where the name of an image would. */
export const LAUNCHER = [
  `binds=; IFS=:; for folder in $RUN_IMAGE; do binds="$binds --bind $folder $folder"; done; unset IFS;`,
  "exec bwrap --unshare-pid --unshare-ipc --die-with-parent --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp",
  `$binds --dir "$RUN_DIRECTORY" --chdir "$RUN_DIRECTORY" --clearenv --setenv PATH "$PATH"`,
  `${process.execPath} ${path.join(PROJECT, "runner/launched.ts")}`,
].join(" ");
