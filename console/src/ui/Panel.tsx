import { type ReactNode, useId } from "react";
import css from "./Panel.module.css";

type Props = { title: string; count?: number | string; more?: ReactNode; children: ReactNode };

/** A part of a page with its heading; screen readers find it by name. */
export function Panel({ title, count, more, children }: Props) {
  const id = useId();
  return (
    <section className={css.panel} aria-labelledby={id}>
      <header className={css.head}>
        <h2 id={id}>
          {title}
          {count !== undefined && <span className={css.count}>{count}</span>}
        </h2>
        {more}
      </header>
      {children}
    </section>
  );
}
