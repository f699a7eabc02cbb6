/** Rules as a form has them, in lines of text. Pure. */
import type { PolicyRules } from "../../data/types.ts";

type Windows = NonNullable<PolicyRules["windows"]>;
type Opening = Windows["open"][number];
type Attention = PolicyRules["attention"][number];

export type Draft = {
  /** One on a line. */
  types: string;
  maxDestroys: string;
  timeZone: string;
  /** `mon,tue 09:00-17:00`, one on a line. */
  hours: string;
  /** Of the first rule of attention; empty: there is none. */
  approvals: string;
  from: string;
  costs: string;
  minDestroys: string;
  reason: string;
  /** What the form does not show, and keeps. */
  rest: { closed: Windows["closed"]; attention: Attention[] };
};

export function draftOf(rules: PolicyRules | null): Draft {
  const first = rules?.attention[0];
  return {
    types: (rules?.protected_types ?? []).join("\n"),
    maxDestroys: rules?.max_destroys?.toString() ?? "",
    timeZone: rules?.windows?.time_zone ?? "UTC",
    hours: (rules?.windows?.open ?? []).map(({ days, from, to }) => `${days.join(",")} ${from}-${to}`).join("\n"),
    approvals: first?.count.toString() ?? "",
    from: first?.from.join("\n") ?? "",
    costs: first?.types.join("\n") ?? "",
    minDestroys: first?.min_destroys?.toString() ?? "",
    reason: first?.reason ?? "",
    rest: { closed: rules?.windows?.closed ?? [], attention: rules?.attention.slice(1) ?? [] },
  };
}

/** What a line cannot be read as, is sent as it is: the service says what is wrong with it. */
export function rulesOf(draft: Draft): PolicyRules {
  const open = linesIn(draft.hours).map(openingOf);
  const { closed, attention } = draft.rest;
  const first: Attention[] =
    draft.approvals.trim() === ""
      ? []
      : [
          {
            types: linesIn(draft.costs),
            ...(draft.minDestroys.trim() !== "" && { min_destroys: Number(draft.minDestroys) }),
            count: Number(draft.approvals),
            from: linesIn(draft.from),
            reason: draft.reason.trim(),
          },
        ];
  return {
    protected_types: linesIn(draft.types),
    max_destroys: draft.maxDestroys.trim() === "" ? null : Number(draft.maxDestroys),
    windows: open.length + closed.length === 0 ? null : { time_zone: draft.timeZone.trim(), open, closed },
    attention: [...first, ...attention],
  };
}

function openingOf(line: string): Opening {
  const [days = "", hours = ""] = line.split(/\s+/, 2);
  const [from = "", to = ""] = hours.split("-", 2);
  return { days: days.toLowerCase().split(",") as Opening["days"], from, to };
}

function linesIn(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
