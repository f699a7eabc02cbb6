import type { ReactNode } from "react";
import css from "./Facts.module.css";

export type Fact = readonly [term: string, value: ReactNode];

/** What is known of one thing. A fact without a value is left out. */
export function Facts({ facts }: { facts: readonly (Fact | false | null)[] }) {
  const known = facts.filter((fact): fact is Fact => Array.isArray(fact) && fact[1] !== null && fact[1] !== undefined);
  return (
    <dl className={css.facts}>
      {known.map(([term, value]) => (
        <div key={term} className={css.fact}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
