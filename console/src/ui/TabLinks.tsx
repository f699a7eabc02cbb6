/** Tabs that are addresses: each can be linked to and opened beside the others. */
import { Link, type LinkProps, useLocation } from "@tanstack/react-router";
import { type ReactNode, useLayoutEffect, useRef } from "react";
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
  const nav = useRef<HTMLElement>(null);
  const { href } = useLocation();
  // On a phone not all of them have room: the one that is open is always in sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address has another tab open
  useLayoutEffect(() => {
    const frame = nav.current;
    const current = frame?.querySelector("[aria-current=page]");
    if (frame == null || current == null) return;
    const [outer, inner] = [frame.getBoundingClientRect(), current.getBoundingClientRect()];
    frame.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
  }, [href]);
  return (
    <nav ref={nav} className={css.tabs} aria-label={label}>
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
