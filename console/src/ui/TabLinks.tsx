/** Tabs that are addresses: each can be linked to and opened beside the others. */
import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import css from "./TabLinks.module.css";

export type TabLink = { link: LinkProps; label: string; count?: ReactNode };

export function TabLinks({ label, tabs }: { label: string; tabs: readonly TabLink[] }) {
  return (
    <nav className={css.tabs} aria-label={label}>
      {tabs.map(({ link, label: text, count }) => (
        <Link
          key={text}
          {...link}
          className={css.tab}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ "aria-current": "page" }}
        >
          {text}
          {count !== undefined && count !== null && <span className={css.count}>{count}</span>}
        </Link>
      ))}
    </nav>
  );
}
