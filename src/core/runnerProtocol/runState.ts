/** Whether a run is given its stack's state, and the token that opens it. */
import { makeToken, tokenHash } from "../../people/credentials/format.ts";
import type { RunContext, RunKind } from "../runs/protocol.ts";
import type { StateMode } from "../stacks/schema.ts";
import { RunnerTooOldError } from "./contextErrors.ts";

/** The first runners that know a state kept by the service. */
const STATES_SINCE = { protocol: 3, version: "0.3.0" };

type Subject = {
  state_mode: StateMode;
  /** A state of the stack was stored here once. */
  has_state: boolean;
  subject: { isForeign: boolean; runKind: RunKind };
};

/**
 * A runner that does not know of it keeps to the configuration, as it ever did, until there is a state here: then it
 * would plan everything anew. Foreign code is given none, since a state holds secrets and a plan runs what it says.
 * @throws RunnerTooOldError
 */
export function stateOf(
  { state_mode: mode, has_state: hasVersions, subject }: Subject,
  protocol: number,
): { state: Pick<RunContext, "state">; stateTokenHash: Buffer | null } {
  if (mode === "own") return { state: {}, stateTokenHash: null };
  if (protocol < STATES_SINCE.protocol) {
    if (mode === "hosted" || hasVersions) throw new RunnerTooOldError(STATES_SINCE.version, WHY);
    return { state: {}, stateTokenHash: null };
  }
  const given = { mode, has_versions: hasVersions };
  if (subject.isForeign) return { state: { state: { ...given, token: null } }, stateTokenHash: null };
  const token = makeToken("run_state");
  return { state: { state: { ...given, token } }, stateTokenHash: tokenHash(token) };
}

const WHY = "The state of the stack is kept by the service";
