/** One change on one line, and all of it below when it is opened. */
import { ChevronRight } from "lucide-react";
import { memo, useId, useMemo } from "react";
import { deedOf } from "../../../clients/plan/deeds.ts";
import { ChangeDetail } from "./ChangeDetail.tsx";
import css from "./ChangeRow.module.css";
import type { Row } from "./rows.ts";
import { isPickable } from "./selection.ts";
import { summaryOf } from "./summary.ts";

type Props = {
  row: Row;
  open: boolean;
  /** Null where nothing can be picked. */
  picked: boolean | null;
  /** Without the module, which stands above it. */
  short: boolean;
  onToggle: (index: number) => void;
  onPick: (address: string) => void;
};

export const ChangeRow = memo(function ChangeRow({ row, open, picked, short, onToggle, onPick }: Props) {
  const { sign, word, tone } = deedOf(row);
  const change = useMemo(() => row.change(), [row]);
  const summary = useMemo(() => summaryOf(change), [change]);
  const detail = useId();
  const name = short && row.module !== "" ? row.address.slice(row.module.length + 1) : row.address;
  const pickable = picked !== null && isPickable(row);
  return (
    <div className={css.row} data-tone={tone} data-open={open}>
      <div className={css.line}>
        {picked !== null && (
          <span className={css.pick}>
            {pickable && (
              <input
                type="checkbox"
                checked={picked}
                aria-label={`Pick ${row.address}`}
                onChange={() => onPick(row.address)}
              />
            )}
          </span>
        )}
        <button
          type="button"
          data-row
          className={css.button}
          aria-expanded={open}
          aria-controls={open ? detail : undefined}
          onClick={() => onToggle(row.index)}
          onKeyDown={(event) => {
            if (event.key === "x" && pickable) onPick(row.address);
          }}
        >
          <ChevronRight size={14} aria-hidden className={css.chevron} />
          <span className={css.sign} aria-hidden>
            {sign}
          </span>
          <span className={css.word}>{word}</span>
          <span className={css.address}>{name}</span>
          <span className={css.summary}>
            {summary.note !== null && <span className={css.note}>{summary.note}</span>}
            {summary.values.map(({ path, before, after }) => (
              <span key={path} className={css.value}>
                {path !== "" && <span className={css.path}>{path}</span>}{" "}
                {before !== null && <span className={css.before}>{before}</span>}
                {before !== null && after !== null && " → "}
                {after !== null && <span className={css.after}>{after}</span>}
              </span>
            ))}
            {summary.more > 0 && <span className={css.path}>+{summary.more} more</span>}
          </span>
        </button>
      </div>
      {open && (
        <div id={detail}>
          <ChangeDetail change={change} />
        </div>
      )}
    </div>
  );
});
