/** What can be done with a log, and how far it has come. */
import { ArrowDown, ArrowUp, Download } from "lucide-react";
import { Button, buttonClass, IconButton } from "../ui/Button.tsx";
import css from "./LogTools.module.css";
import type { Grown, LogState } from "./protocol.ts";

type Props = {
  grown: Grown | null;
  search: string;
  /** Null while it is searched, or nothing is looked for. */
  hits: number | null;
  hit: number;
  wrap: boolean;
  follow: boolean;
  url: string;
  folded: boolean;
  onSearch: (text: string) => void;
  onHit: (step: 1 | -1) => void;
  onWrap: (wrap: boolean) => void;
  onFollow: (follow: boolean) => void;
  onFold: (open: boolean) => void;
  onFirstError: (() => void) | null;
};

const NUMBER = new Intl.NumberFormat("en");
const STATES: Record<LogState, string> = {
  reading: "reading…",
  following: "live",
  interrupted: "interrupted, trying again…",
  ended: "complete",
  removed: "removed",
  forbidden: "not allowed any more",
};

export function LogTools(props: Props) {
  const { grown, search, hits, hit, wrap, follow, url, folded } = props;
  const ended = grown?.state === "ended";
  return (
    <div className={css.tools}>
      <div className={css.search}>
        <input
          type="search"
          value={search}
          placeholder="Search in all of the log"
          aria-label="Search in all of the log"
          spellCheck={false}
          onChange={(event) => props.onSearch(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") props.onHit(event.shiftKey ? -1 : 1);
          }}
        />
        <output className={css.hits} data-hits={hits ?? undefined}>
          {search !== "" && hitsText(hits, hit)}
        </output>
        <IconButton
          label="Previous hit"
          icon={<ArrowUp size={15} />}
          disabled={!hits}
          onClick={() => props.onHit(-1)}
        />
        <IconButton label="Next hit" icon={<ArrowDown size={15} />} disabled={!hits} onClick={() => props.onHit(1)} />
      </div>
      {props.onFirstError && (
        <Button small onClick={props.onFirstError}>
          First error
        </Button>
      )}
      <Button small kind="quiet" onClick={() => props.onFold(folded)}>
        {folded ? "Unfold all" : "Fold steps"}
      </Button>
      <Button small kind={wrap ? "plain" : "quiet"} aria-pressed={wrap} onClick={() => props.onWrap(!wrap)}>
        Wrap
      </Button>
      {!ended && (
        <Button small kind={follow ? "plain" : "quiet"} aria-pressed={follow} onClick={() => props.onFollow(!follow)}>
          Follow
        </Button>
      )}
      <a className={buttonClass("quiet", true)} href={url} target="_blank" rel="noreferrer">
        Raw
      </a>
      <a className={buttonClass("quiet", true)} href={url} download="deployment.log">
        <Download size={14} aria-hidden /> Download
      </a>
      <output className={css.state} data-log={grown?.state ?? "reading"} aria-live="off">
        {grown === null
          ? "reading…"
          : `${NUMBER.format(grown.lines)} lines, ${sizeText(grown.size)}, ${STATES[grown.state]}`}
      </output>
    </div>
  );
}

function hitsText(hits: number | null, hit: number): string {
  if (hits === null) return "searching…";
  if (hits === 0) return "no line";
  return hit === -1 ? `${NUMBER.format(hits)} lines` : `${NUMBER.format(hit + 1)} of ${NUMBER.format(hits)}`;
}

function sizeText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  return bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} KiB` : `${(bytes / 1_048_576).toFixed(1)} MiB`;
}
