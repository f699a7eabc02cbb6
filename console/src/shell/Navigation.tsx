import { Link } from "@tanstack/react-router";
import css from "./Navigation.module.css";
import { type NavigationPage, SETUP, WORK } from "./pages.ts";

/** @param onGo closes it where it lies over the page */
export function Navigation({ org, onGo }: { org: string; onGo?: () => void }) {
  return (
    <nav className={css.nav} aria-label="Organization">
      <Pages org={org} pages={WORK} onGo={onGo} />
      <p className={css.group}>Set-up</p>
      <Pages org={org} pages={SETUP} onGo={onGo} />
    </nav>
  );
}

type PagesProps = { org: string; pages: readonly NavigationPage[]; onGo: (() => void) | undefined };

function Pages({ org, pages, onGo }: PagesProps) {
  return (
    <ul className={css.pages}>
      {pages.map(({ to, label, icon: Icon }) => (
        <li key={to}>
          <Link
            to={to}
            params={{ org }}
            className={css.page}
            activeOptions={{ exact: to === "/orgs/$org", includeSearch: false }}
            activeProps={{ "data-active": true, "aria-current": "page" }}
            onClick={() => onGo?.()}
          >
            <Icon size={16} aria-hidden />
            {label}
          </Link>
        </li>
      ))}
    </ul>
  );
}
