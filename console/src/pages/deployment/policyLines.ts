/** What policies said, a line for each thing; what says nothing, or only for itself, is left out. Pure. */
import type { PolicyResult } from "../../data/types.ts";

export type PolicyLine = { policy: string; kind: "deny" | "warn" | "approvals" | "exempt"; text: string };

export function linesOf(results: readonly PolicyResult[]): PolicyLine[] {
  return results.filter(({ enforcement }) => enforcement !== "shadow").flatMap(ofResult);
}

function ofResult({ name: policy, enforcement, exemption, deny, warn, approvals, error }: PolicyResult): PolicyLine[] {
  const refused = [...deny, ...(error === null ? [] : [`could not be evaluated: ${error}`])];
  if (exemption !== null) {
    const text = `does not count here until ${exemption.ends_at}: ${exemption.reason}`;
    return refused.length > 0 ? [{ policy, kind: "exempt", text }] : [];
  }
  const verb = enforcement === "mandatory" ? "denies it:" : "advises against it:";
  return [
    ...refused.map((text): PolicyLine => ({ policy, kind: "deny", text: `${verb} ${text}` })),
    ...warn.map((text): PolicyLine => ({ policy, kind: "warn", text: `warns: ${text}` })),
    ...approvals.map(
      ({ count, from, reason }): PolicyLine => ({
        policy,
        kind: "approvals",
        text: `asks for ${count} approvals${from.length > 0 ? ` from ${from.join(", ")}` : ""}: ${reason}`,
      }),
    ),
  ];
}
