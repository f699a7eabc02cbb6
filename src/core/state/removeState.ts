/** A state that is not to be there any more. Its versions stay for as long as any, and can be brought back. */
import { sql } from "drizzle-orm";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { StateForbiddenError } from "./errors.ts";
import { assertHolder } from "./pushState.ts";
import { recordChange } from "./recordChange.ts";
import { held, type StateUser } from "./stateUser.ts";
import { lockState } from "./writeVersion.ts";

/** An engine sends no id of its lock here, so a run's own lock is enough. @throws StateLockedError */
export async function removeState(service: Service, user: StateUser, lockId: string | null): Promise<void> {
  await unitOfWork(service, async (work) => {
    const { tx } = work;
    const goesOn = await tx.execute(sql`select held from ${held(user)} u`);
    if (goesOn.length === 0) throw new StateForbiddenError();
    const state = await lockState(tx, user);
    if (state.lock_id !== null) assertHolder(state, user, user.kind === "run" ? state.lock_id : lockId);
    if (state.newest === null) return;
    await tx.execute(sql`update stack_states set version_id = null where stack_key = ${user.stackKey}`);
    const { number, serial } = state.newest;
    if (user.kind === "person") await recordChange(work, user, "delete", { number, serial });
  });
}
