import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import css from "./PageHead.module.css";

export type Crumb = { label: string; link: LinkProps };
type Props = {
  title: ReactNode;
  crumbs?: readonly Crumb[];
  beside?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
};

/** The head of a page: the way to it, what it is, its state, and what can be done. */
export function PageHead({ title, crumbs = [], beside, actions, children }: Props) {
  return (
    <header className={css.head}>
      {crumbs.length > 0 && (
        <nav className={css.crumbs} aria-label="Where this is">
          {crumbs.map(({ label, link }) => (
            <Link key={label} {...link} activeOptions={{ exact: true }}>
              {label}
            </Link>
          ))}
        </nav>
      )}
      <div className={css.line}>
        <h1>{title}</h1>
        {beside}
        {actions && <div className={css.actions}>{actions}</div>}
      </div>
      {children && <div className={css.meta}>{children}</div>}
    </header>
  );
}
