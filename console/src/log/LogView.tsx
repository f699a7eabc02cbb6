/** The log of a deployment: all of it, folded by stage and step, searched, followed, linked to line by line. */
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Notice } from "../ui/Notice.tsx";
import { rowsOf } from "./folding.ts";
import { nextHit } from "./hits.ts";
import { LogHead, type StageName } from "./LogHead.tsx";
import { LogLine } from "./LogLine.tsx";
import { LogRows, type LogRowsHandle } from "./LogRows.tsx";
import { LogTools } from "./LogTools.tsx";
import css from "./LogView.module.css";
import { lineAt, placeHash, placeOf, readPlace } from "./logLink.ts";
import type { LogTarget } from "./logSource.ts";
import { useLog } from "./useLog.ts";

type Props = {
  target: LogTarget;
  /** How the page calls each stage. */
  names: ReadonlyMap<string, StageName>;
  /** Of the address: `#stage=...&L=...`. */
  hash: string;
  search: string;
  onSearch: (text: string) => void;
  /** Whether more is expected at first. */
  live: boolean;
};

export function LogView({ target, names, hash, search, onSearch, live }: Props) {
  const { client, snapshot } = useLog(target);
  const { grown, found } = snapshot;
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [wrap, setWrap] = useState(false);
  const place = useMemo(() => readPlace(hash), [hash]);
  const [follow, setFollow] = useState(live && place === null);
  const [hit, setHit] = useState(-1);
  const list = useRef<LogRowsHandle>(null);
  const lines = grown?.lines ?? 0;
  const sections = grown?.sections ?? [];
  const errors = grown?.errors ?? [];
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lists are new ones whenever the log has grown
  const rows = useMemo(() => rowsOf(sections, lines, errors, chosen), [grown, chosen]);
  const linked = place === null ? null : lineAt(sections, lines, place);
  const hits = found?.text === search && search !== "" ? found.lines : null;

  /** Opens what it is folded in, and shows it once that is done. */
  const [sought, setSought] = useState<number | null>(null);
  const goTo = useCallback((line: number) => {
    setFollow(false);
    setSought(line);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a link leads to its line once, when the line is there
  useEffect(() => {
    if (linked !== null) goTo(linked);
  }, [linked, hash]);
  useEffect(() => {
    if (sought === null) return;
    const folded = rows.blocks.filter(
      ({ kind, from, end, open, stageId }) =>
        !open &&
        ((sought >= from && sought < end) || (kind === "stage" && stageId === placeOf(sections, sought).stageId)),
    );
    if (folded.length > 0) {
      setChosen((now) => new Map([...now, ...folded.map(({ key }) => [key, true] as const)]));
      return;
    }
    list.current?.show(rows.ofLine(sought));
    setSought(null);
  }, [sought, rows, sections]);
  useEffect(() => client?.search(search), [client, search]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text begins at its first hit
  useEffect(() => setHit(-1), [search]);

  const toHit = (step: 1 | -1) => {
    if (hits === null || hits.length === 0) return;
    const next = nextHit(hits.length, hit, step);
    setHit(next);
    goTo(hits[next] as number);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "n" || event.key === "N") toHit(event.key === "n" ? 1 : -1);
  };
  const onRange = useCallback(
    (first: number, end: number) => {
      const wanted: number[] = [];
      for (let index = first; index < end; index++) {
        const row = rows.at(index);
        if (row?.type === "line") wanted.push(row.line);
      }
      client?.want(wanted);
    },
    [client, rows],
  );
  const marked = hit >= 0 && hits !== null ? hits[hit] : linked;
  return (
    <div className={css.log}>
      <LogTools
        grown={grown}
        search={search}
        hits={hits?.length ?? null}
        hit={hit}
        wrap={wrap}
        follow={follow}
        url={target.url}
        folded={rows.blocks.some(({ open }) => !open)}
        onSearch={onSearch}
        onHit={toHit}
        onWrap={setWrap}
        onFollow={setFollow}
        onFold={(open) => setChosen(new Map(rows.blocks.map(({ key, kind }) => [key, open || kind === "stage"])))}
        onFirstError={errors.length === 0 ? null : () => goTo(errors[0] as number)}
      />
      {grown?.gaps && (
        <Notice tone="warn">A part of this log never arrived: its runner was lost while it wrote.</Notice>
      )}
      {grown?.state === "removed" && (
        <Notice tone="warn">The log has been removed, or may not be read any more.</Notice>
      )}
      <div className={css.rows}>
        <LogRows
          handle={list}
          rows={rows.length}
          wrap={wrap}
          follow={follow}
          onFollow={setFollow}
          onRange={onRange}
          onKey={onKey}
          row={(index) => {
            const row = rows.at(index);
            if (row === null) return null;
            if (row.type === "head") {
              const { key, open } = row.block;
              const toggle = () => setChosen((now) => new Map(now).set(key, !open));
              return <LogHead key={key} block={row.block} name={names.get(row.block.stageId)} onToggle={toggle} />;
            }
            const own = placeOf(sections, row.line);
            return (
              <LogLine
                key={row.line}
                line={row.line}
                number={own.line}
                href={placeHash(own)}
                shown={client?.line(row.line)}
                searched={search}
                marked={marked === row.line}
                wrap={wrap}
                rawUrl={`${target.url}?stage=${encodeURIComponent(own.stageId)}`}
              />
            );
          }}
        />
      </div>
    </div>
  );
}
