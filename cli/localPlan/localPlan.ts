/** A plan of files as they lie here, committed or not; nothing of it can be applied. */
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { answerOf } from "../../clients/api/client.ts";
import type { Addresses } from "../deployments/decide.ts";
import { usage } from "../exit/failure.ts";
import type { Session } from "../service/session.ts";
import type { Deployment } from "../service/types.ts";
import { gitHead, gitRoot } from "../target/gitPlace.ts";
import type { Screen } from "../terminal/screen.ts";
import type { Attendance } from "../watching/attendance.ts";
import { collectTree } from "./collect.ts";
import { refused } from "./entryRules.ts";
import { pack } from "./pack.ts";
import { upload } from "./upload.ts";

export type LocalPlan = { stackId: string; directory: string; addresses: Addresses };

/** The whole repository that the directory is in goes, since a stack's directory is one of it. @throws Failure */
export async function planLocally(
  session: Session,
  screen: Screen,
  attendance: Attendance,
  { stackId, directory, addresses }: LocalPlan,
): Promise<Deployment> {
  const path = { org_id: session.orgId, stack_id: stackId };
  const from = resolve(directory);
  if (!(await stat(from).catch(() => null))?.isDirectory()) throw usage(`${directory} is no directory.`);
  const root = (await gitRoot(from)) ?? from;
  const { working_directory } = await answerOf(
    session.api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}", { params: { path } }),
  );
  const tree = await collectTree(root);
  if (!(await stat(join(root, working_directory)).catch(() => null))?.isDirectory()) {
    throw refused(
      `the stack's directory ${working_directory} is not in ${root}`,
      "Go to a clone of the stack's repository, or name another stack",
    );
  }
  attendance.signal.throwIfAborted();
  const packed = await pack(tree, attendance.signal);
  screen.note(`${tree.paths.length} files of ${root}`);
  try {
    const source = await upload(session, screen, { stackId, packed, signal: attendance.signal });
    attendance.signal.throwIfAborted();
    const head = await gitHead(root);
    const { local_source_key, local_source_sha256 } = source;
    const commit = head === null ? {} : { commit_sha: head };
    attendance.creating(session, stackId);
    return await answerOf(
      session.api.POST("/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/local", {
        params: { path },
        signal: attendance.signal,
        body: { local_source_key, local_source_sha256, ...commit, ...addresses },
      }),
    );
  } finally {
    await packed.remove();
  }
}
