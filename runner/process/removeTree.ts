/** Removes folders that runs wrote to: deeper than a path can name, closed to their owner, or with very many files. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/**
 * Not by Node, which gives up where a path is too long and does nothing else meanwhile. What is not there is removed.
 * Never rejects: a run must not end its coordinator by what it leaves.
 */
export async function removeTree(folder: string): Promise<void> {
  const remove = () => run("rm", ["-rf", "--", folder]);
  await remove()
    .catch(() => run("chmod", ["-R", "u+rwX", "--", folder]).then(remove, remove))
    .catch(() => {});
}
