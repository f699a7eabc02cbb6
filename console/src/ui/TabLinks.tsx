/** Tabs that are addresses: each can be linked to and opened beside the others. */
import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import css from "./TabLinks.module.css";

/** `isCurrent`: said where the tabs of a page differ in the search of its address alone. */
export type TabLink = { link: LinkProps; label: string; count?: ReactNode; isCurrent?: boolean };

type Props = { label: string; tabs: readonly TabLink[] };

export function TabLinks({ label, tabs }: Props) {
  return (
    <nav className={css.tabs} aria-label={label}>
      {tabs.map(({ link, label: text, count, isCurrent }) => (
        <Link
          key={text}
          {...link}
          className={css.tab}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={isCurrent === undefined ? { "aria-current": "page" } : { "aria-current": undefined }}
          {...(isCurrent && { "data-current": true })}
        >
          {text}
          {count !== undefined && count !== null && <span className={css.count}>{count}</span>}
        </Link>
      ))}
    </nav>
  );
}
