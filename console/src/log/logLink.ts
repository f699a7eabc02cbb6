/** The part of an address that leads to a line: `#stage=ID&L=123`. Lines of a stage count from 1. Pure. */

export type LogPlace = { stageId: string; line: number };

export function readPlace(hash: string): LogPlace | null {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  const [stageId, line] = [fields.get("stage"), fields.get("L")];
  if (stageId === null || stageId === "") return null;
  return { stageId, line: /^[1-9]\d{0,9}$/.test(line ?? "") ? Number(line) : 1 };
}

export function placeHash({ stageId, line }: LogPlace): string {
  return `#${new URLSearchParams({ stage: stageId, L: String(line) })}`;
}

type Stage = { kind: string; stageId: string; line: number };

/** The line's place in its own stage. */
export function placeOf(sections: readonly Stage[], line: number): LogPlace {
  const stage = sections.findLast((section) => section.kind === "stage" && section.line <= line);
  return { stageId: stage?.stageId ?? "", line: line - (stage?.line ?? 0) + 1 };
}

/** The line of the whole log; null while the log does not reach so far. */
export function lineAt(sections: readonly Stage[], lines: number, place: LogPlace): number | null {
  const stages = sections.filter(({ kind }) => kind === "stage");
  const at = stages.findIndex(({ stageId }) => stageId === place.stageId);
  if (at === -1) return null;
  const first = stages[at] as Stage;
  const line = first.line + place.line - 1;
  return line < (stages[at + 1]?.line ?? lines) ? line : null;
}
