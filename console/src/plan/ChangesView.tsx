/** The changes of one plan: filtered, grouped, opened and picked. */
import { useDeferredValue, useMemo, useState } from "react";
import { Empty } from "../ui/states.tsx";
import { ChangesFilter } from "./ChangesFilter.tsx";
import { ChangesList } from "./ChangesList.tsx";
import type { Changes } from "./changesQuery.ts";
import { countsOf, filterRows, type View } from "./filter.ts";
import { entriesOf } from "./groups.ts";
import { toggled } from "./selection.ts";

export type ChangesSearch = { text: string; view: View; grouped: boolean };

type Props = {
  changes: Changes;
  search: ChangesSearch;
  onSearch: (search: Partial<ChangesSearch>) => void;
  /** Null where nothing can be picked. */
  picked: ReadonlySet<string> | null;
  onPick: (address: string) => void;
};

export function ChangesView({ changes: { rows, complete }, search, onSearch, picked, onPick }: Props) {
  // What is typed is on screen at once; the list may follow a moment later.
  const { text, view, grouped } = useDeferredValue(search);
  const counts = useMemo(() => countsOf(rows), [rows]);
  const shown = useMemo(() => filterRows(rows, view, text), [rows, view, text]);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const entries = useMemo(() => entriesOf(shown, grouped, closed), [shown, grouped, closed]);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [onToggle] = useState(() => (index: number) => setOpened((now) => toggledNumber(now, index)));
  const [onGroup] = useState(() => (module: string) => setClosed((now) => toggled(now, module)));
  return (
    <>
      <ChangesFilter
        {...search}
        counts={counts}
        shown={shown.length}
        complete={complete}
        onText={(next) => onSearch({ text: next })}
        onView={(next) => onSearch({ view: next })}
        onGrouped={(next) => onSearch({ grouped: next })}
      />
      {entries.length === 0 && complete ? (
        <Empty title={rows.length === 0 ? "The plan lists no change" : "No change is like that"} />
      ) : (
        <ChangesList
          entries={entries}
          grouped={grouped}
          opened={opened}
          picked={picked}
          onToggle={onToggle}
          onPick={onPick}
          onGroup={onGroup}
        />
      )}
    </>
  );
}

function toggledNumber(set: ReadonlySet<number>, index: number): Set<number> {
  const next = new Set(set);
  if (!next.delete(index)) next.add(index);
  return next;
}
