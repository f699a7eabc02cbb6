import { useQuery } from "@tanstack/react-query";
import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { overviewQuery } from "../../data/deployments.ts";
import type { Overview } from "../../data/types.ts";
import { RUNNING } from "../../ui/status.ts";
import { Time } from "../../ui/Time.tsx";
import css from "./Page.module.css";

type Figure = {
  label: string;
  number: number;
  hint?: ReactNode;
  tone?: "wait" | "bad" | "run" | undefined;
  link?: LinkProps;
};

/** The whole organization in five numbers, each a way to what it counts. */
export function Figures({ org }: { org: string }) {
  const { data } = useQuery(overviewQuery(org));
  const figures = data === undefined ? PLACES : figuresOf(org, data);
  return (
    <ul className={css.figures} aria-label="In numbers" aria-busy={data === undefined}>
      {figures.map((figure) => (
        <li key={figure.label}>
          <Box figure={figure} known={data !== undefined} />
        </li>
      ))}
    </ul>
  );
}

/** The same places before the numbers are known, so that nothing moves. */
const PLACES: readonly Figure[] = ["Wait for a person", "Under way", "Queued", "Failed in 24 h", "Stacks on hold"].map(
  (label) => ({ label, number: 0 }),
);

function Box({ figure: { label, number, hint, tone, link }, known }: { figure: Figure; known: boolean }) {
  const inside = (
    <>
      <span className={css.number}>{known ? number : "–"}</span>
      <span>{label}</span>
      <span className={css.hint}>{hint ?? "\u00a0"}</span>
    </>
  );
  if (link === undefined) return <div className={css.figure}>{inside}</div>;
  return (
    <Link {...link} className={css.figure} data-tone={number > 0 ? tone : undefined}>
      {inside}
    </Link>
  );
}

function figuresOf(org: string, { items, oldest_waiting, failed_24h, held_stacks }: Overview): Figure[] {
  const of = (...statuses: readonly string[]) =>
    items.filter(({ status }) => statuses.includes(status)).reduce((sum, { count }) => sum + count, 0);
  const all = (status: string): LinkProps => ({ to: "/orgs/$org/deployments", params: { org }, search: { status } });
  return [
    {
      label: "Wait for a person",
      number: of("waiting"),
      tone: "wait",
      link: all("waiting"),
      hint: oldest_waiting && (
        <>
          the first one <Time at={oldest_waiting.waiting_since} />
        </>
      ),
    },
    { label: "Under way", number: of(...RUNNING), tone: "run", link: all(RUNNING.join(",")) },
    { label: "Queued", number: of("queued"), link: all("queued") },
    { label: "Failed in 24 h", number: failed_24h, tone: "bad", link: all("failed") },
    { label: "Stacks on hold", number: held_stacks, link: { to: "/orgs/$org/stacks", params: { org } } },
  ];
}
