import { memo } from "react";
import { classes } from "../ui/classes.ts";
import css from "./LogLine.module.css";
import type { ShownLine } from "./protocol.ts";
import { marked } from "./search.ts";

type Props = {
  line: number;
  /** Its number in its stage. */
  number: number;
  href: string;
  /** Undefined until it has come. */
  shown: ShownLine | undefined;
  searched: string;
  marked: boolean;
  wrap: boolean;
  rawUrl: string;
};

export const LogLine = memo(function LogLine({
  line,
  number,
  href,
  shown,
  searched,
  marked: mark,
  wrap,
  rawUrl,
}: Props) {
  return (
    <div
      className={classes(css.line, wrap && css.wrap)}
      data-line={line}
      data-marked={mark || undefined}
      data-kind={kindOf(shown)}
    >
      <a className={css.number} href={href} tabIndex={-1} aria-label={`Line ${number}`}>
        {number}
      </a>
      <span className={css.text}>
        {shown?.spans.map(({ text, look }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of a line have no name but their place
          <span key={place} className={lookOf(look)}>
            {searched === ""
              ? text
              : marked(text, searched).map(({ text: part, hit }, at) =>
                  // biome-ignore lint/suspicious/noArrayIndexKey: as above
                  hit ? <mark key={at}>{part}</mark> : part,
                )}
          </span>
        ))}
        {shown !== undefined && shown.left > 0 && (
          <a className={css.left} href={rawUrl}>
            … and {shown.left} bytes more of this line, in the raw log
          </a>
        )}
      </span>
    </div>
  );
});

/** Notes of the runner, and what the engine says of trouble. */
function kindOf(shown: ShownLine | undefined): string | undefined {
  const text = shown?.spans[0]?.text ?? "";
  if (text.startsWith("==> Warning")) return "warning";
  if (text.startsWith("==> ")) return "note";
  if (/^(?:[╷│╵|]\s?)?(?:Error|fatal|error): /.test(text)) return "error";
  return /^(?:[│|]\s?)?Warning: /.test(text) ? "warning" : undefined;
}

function lookOf(look: string): string | undefined {
  return look === "" ? undefined : classes(...look.split(" ").map((name) => css[name]));
}
