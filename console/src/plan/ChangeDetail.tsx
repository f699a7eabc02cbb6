/** All values of one change: what differs first of all, what stays on demand. */
import { useId, useMemo, useState } from "react";
import { type Attribute, attributesOf, isChanged } from "../../../clients/plan/attributes.ts";
import { type PlanChange, veilOf } from "../../../clients/plan/change.ts";
import { exactText } from "../../../clients/plan/exactJson.ts";
import { reasonText } from "../../../clients/plan/reasons.ts";
import { Button } from "../ui/Button.tsx";
import { Copy } from "../ui/Copy.tsx";
import { classes } from "../ui/classes.ts";
import css from "./ChangeDetail.module.css";
import { asLines, diffOf } from "./textDiff.ts";

/** A resource may have thousands of values; nobody reads them all. */
const SHOWN = 200;

export function ChangeDetail({ change }: { change: PlanChange }) {
  const attributes = useMemo(() => attributesOf(change), [change]);
  const changed = attributes.filter(isChanged);
  const same = attributes.length - changed.length;
  const [all, setAll] = useState(false);
  const [withSame, setWithSame] = useState(false);
  const listed = withSame ? attributes : changed;
  const shown = all ? listed : listed.slice(0, SHOWN);
  const reason = reasonText(change.reason);
  return (
    <div className={css.detail}>
      <p className={css.facts}>
        {change.provider !== "" && <span>{change.provider}</span>}
        <span>{change.actions.join(", ")}</span>
        {reason !== null && <span>because {reason}</span>}
        <Copy text={change.address} what="address" />
      </p>
      {listed.length === 0 && <p className={css.facts}>No value of it changes.</p>}
      <dl className={css.values}>
        {shown.map((attribute) => (
          <Value key={`${attribute.sign} ${attribute.path}`} attribute={attribute} />
        ))}
      </dl>
      <div className={css.more}>
        {listed.length > shown.length && (
          <Button small kind="quiet" onClick={() => setAll(true)}>
            Show the other {listed.length - shown.length} values
          </Button>
        )}
        {same > 0 && (
          <Button small kind="quiet" aria-pressed={withSame} onClick={() => setWithSame(!withSame)}>
            {withSame ? "Hide" : "Show"} {same} {same === 1 ? "value that stays" : "values that stay"}
          </Button>
        )}
      </div>
    </div>
  );
}

const WORDS = { "+": "added", "-": "removed", "~": "changed", "=": "stays" };

function Value({ attribute }: { attribute: Attribute }) {
  const { sign, path, forces } = attribute;
  const id = useId();
  return (
    <div className={css.value} data-sign={sign}>
      <dt className={css.path} id={id}>
        <span className={css.sign} title={WORDS[sign]}>
          <span aria-hidden>{sign === "=" ? " " : sign}</span>
          <span className="sr-only">{WORDS[sign]}</span>
        </span>
        {path === "" ? "value" : path}
        {forces && <em className={css.forces}>forces replacement</em>}
      </dt>
      <dd className={css.sides}>
        <Sides attribute={attribute} />
      </dd>
    </div>
  );
}

function Sides({ attribute: { sign, before, after, hidden } }: { attribute: Attribute }) {
  const lines = sign === "~" ? diffOf(before, after) : null;
  if (lines !== null) {
    return (
      <pre className={css.lines}>
        {lines.map(({ sign: mark, text }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of a comparison have no name but their place
          <span key={place} data-sign={mark}>
            {mark} {text}
            {"\n"}
          </span>
        ))}
      </pre>
    );
  }
  if (sign === "=") return <Shown value={after ?? before} />;
  return (
    <>
      {sign !== "+" && <Shown value={before} side="before" />}
      {sign === "~" && (
        <span className={css.arrow}>
          <span aria-hidden>→</span>
          <span className="sr-only">becomes</span>
        </span>
      )}
      {sign !== "-" && <Shown value={after} side="after" note={hidden ? "another one" : undefined} />}
    </>
  );
}

function Shown({ value, side, note }: { value: unknown; side?: "before" | "after"; note?: string | undefined }) {
  const veil = veilOf(value);
  if (veil !== null) {
    return (
      <span className={classes(css.veil, side && css[side])}>
        {String(value)}
        {note && <em> {note}</em>}
      </span>
    );
  }
  const laidOut = asLines(value);
  const text = laidOut?.includes("\n") ? laidOut : exactText(value);
  return <code className={classes(css.text, side && css[side])}>{text}</code>;
}
