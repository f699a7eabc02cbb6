import { ChevronDown, ChevronRight } from "lucide-react";
import type { Block } from "./folding.ts";
import css from "./LogHead.module.css";

const NUMBER = new Intl.NumberFormat("en");

/** How a page calls a stage. */
export type StageName = { name: string; state: string };

type Props = { block: Block; name: StageName | undefined; onToggle: () => void };

/** The head of a stage or of a step, which folds what is below. */
export function LogHead({ block: { kind, title, from, end, open }, name, onToggle }: Props) {
  const Icon = open ? ChevronDown : ChevronRight;
  const lines = end - from;
  return (
    <button type="button" className={css.head} data-kind={kind} aria-expanded={open} onClick={onToggle}>
      <Icon size={14} aria-hidden />
      <span>{kind === "stage" ? (name?.name ?? "stage") : title}</span>
      {kind === "stage" && name && <span className={css.state}>{name.state}</span>}
      {!open && lines > 0 && (
        <span className={css.count}>
          {NUMBER.format(lines)} {lines === 1 ? "line" : "lines"}
        </span>
      )}
    </button>
  );
}
