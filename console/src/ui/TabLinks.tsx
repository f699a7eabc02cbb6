/** Tabs that are addresses: each can be linked to and opened beside the others. */
import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import css from "./TabLinks.module.css";

export type TabLink = {
  link: LinkProps;
  label: string;
  count?: ReactNode;
  /** Where the address has more in its search than the tab; absent: told by the address. */
  isCurrent?: boolean;
};

type Props = { label: string; tabs: readonly TabLink[]; bySearch?: boolean };

/** @param bySearch where the tabs of a page differ in the search of its address alone */
export function TabLinks({ label, tabs, bySearch = false }: Props) {
  return (
    <nav className={css.tabs} aria-label={label}>
      {tabs.map(({ link, label: text, count, isCurrent }) => (
        <Link
          key={text}
          {...link}
          className={css.tab}
          aria-current={isCurrent ? "page" : undefined}
          activeOptions={{ exact: true, includeSearch: bySearch, explicitUndefined: bySearch }}
          activeProps={{ "aria-current": "page" }}
        >
          {text}
          {count !== undefined && count !== null && <span className={css.count}>{count}</span>}
        </Link>
      ))}
    </nav>
  );
}
