/** Rows of changes, of which only those in sight are there. They scroll with the page. */
import { ChevronDown, ChevronRight } from "lucide-react";
import { useWindowRows } from "../ui/useWindowRows.ts";
import { ChangeRow } from "./ChangeRow.tsx";
import css from "./ChangesList.module.css";
import type { Entry, Group } from "./groups.ts";

type Props = {
  entries: readonly Entry[];
  grouped: boolean;
  opened: ReadonlySet<number>;
  /** Null where nothing can be picked. */
  picked: ReadonlySet<string> | null;
  onToggle: (index: number) => void;
  onPick: (address: string) => void;
  onGroup: (module: string) => void;
};

const ROW_PX = 34;

export function ChangesList({ entries, grouped, opened, picked, onToggle, onPick, onGroup }: Props) {
  const { frame, above, virtual } = useWindowRows<HTMLDivElement>({
    count: entries.length,
    rowHeight: ROW_PX,
    beside: 20,
    rowKey: (index) => keyOf(entries[index] as Entry),
  });
  return (
    <div ref={frame} className={css.list} style={{ blockSize: virtual.getTotalSize() }} data-changes={entries.length}>
      {virtual.getVirtualItems().map(({ key, index, start }) => {
        const entry = entries[index];
        if (entry === undefined) return null;
        return (
          <div
            key={key}
            ref={virtual.measureElement}
            data-index={index}
            className={css.item}
            style={{ translate: `0 ${start - above}px` }}
          >
            {entry.type === "group" ? (
              <GroupHead group={entry.group} open={entry.open} onGroup={onGroup} />
            ) : (
              <ChangeRow
                row={entry.row}
                open={opened.has(entry.row.index)}
                picked={picked === null ? null : picked.has(entry.row.address)}
                short={grouped}
                onToggle={onToggle}
                onPick={onPick}
              />
            )}
          </div>
        );
      })}
    </div>
  );
}

function keyOf(entry: Entry): string | number {
  return entry.type === "row" ? entry.row.index : `module ${entry.group.module}`;
}

type GroupProps = { group: Group; open: boolean; onGroup: (module: string) => void };

function GroupHead({ group: { module, rows, tally }, open, onGroup }: GroupProps) {
  const Icon = open ? ChevronDown : ChevronRight;
  return (
    <button type="button" data-row className={css.group} aria-expanded={open} onClick={() => onGroup(module)}>
      <Icon size={14} aria-hidden />
      <span className={css.module}>{module === "" ? "root module" : module}</span>
      <span className={css.tally}>
        {tally.map(({ sign, word, tone, count }) => (
          <span key={word} data-tone={tone} title={`${count} ${word}`}>
            {sign}
            {count}
          </span>
        ))}
      </span>
      <span className="sr-only">{rows.length} changes</span>
    </button>
  );
}
