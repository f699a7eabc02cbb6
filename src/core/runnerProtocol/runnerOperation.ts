/** What the document says alike of every route of the runner protocol. */

/** A route that an ephemeral runner calls with its own token. */
export function ofRunner(id: string, summary: string) {
  return { id, summary, tag: "runner protocol", caller: "runner" } as const;
}

/** A route that a coordinator calls with its group's token. */
export function ofGroup(id: string, summary: string) {
  return { id, summary, tag: "runner protocol", caller: "group" } as const;
}
