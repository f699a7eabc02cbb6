import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { classes } from "./classes.ts";
import rows from "./rows.module.css";
import css from "./SplitRow.module.css";

type Props = {
  link?: LinkProps;
  title: ReactNode;
  selected?: boolean;
  /** Below the title. */
  meta?: ReactNode;
  /** At the end of the row: a state, or buttons. */
  end?: ReactNode;
  /** Below all of it, as long as it may be. */
  children?: ReactNode;
};

/** A row of a list: what it is, what is known of it, and what can be done. With a link all of it leads there. */
export function SplitRow({ link, title, selected = false, meta, end, children }: Props) {
  return (
    <li className={classes(rows.row, css.row)} data-selected={selected || undefined}>
      <span className={css.main}>
        {link ? (
          <Link {...link} className={rows.link} data-row aria-current={selected ? "true" : undefined}>
            {title}
          </Link>
        ) : (
          <span className={css.title}>{title}</span>
        )}
        {meta && <span className={rows.meta}>{meta}</span>}
      </span>
      {end && <span className={classes(css.end, rows.above)}>{end}</span>}
      {children && <div className={css.below}>{children}</div>}
    </li>
  );
}
