/** What is around every page: where one is, how to get elsewhere, and whether what is shown is live. */
import { Link, Outlet, useParams, useRouter } from "@tanstack/react-router";
import { Menu as MenuIcon, Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button, IconButton } from "../ui/Button.tsx";
import { Kbd } from "../ui/Kbd.tsx";
import { Announcements } from "./announce.tsx";
import css from "./Frame.module.css";
import { GlobalCommands } from "./GlobalCommands.tsx";
import { LiveMark } from "./LiveMark.tsx";
import { Navigation } from "./Navigation.tsx";
import { OfflineBanner } from "./OfflineBanner.tsx";
import { OrgSwitch } from "./OrgSwitch.tsx";
import { openPalette } from "./paletteState.ts";
import { SessionDialog } from "./SessionDialog.tsx";
import { UserMenu } from "./UserMenu.tsx";

export function Frame() {
  const { org } = useParams({ strict: false });
  const drawer = useRef<HTMLDialogElement>(null);
  const [open, setOpen] = useState(false);
  const main = useFocusOnNavigation();
  const close = () => drawer.current?.close();
  return (
    <div className={css.frame} data-org={org}>
      <a className={css.skip} href="#main">
        Skip to the page
      </a>
      <header className={css.top}>
        {org && (
          <span className={css.opener}>
            <IconButton
              label="Pages"
              icon={<MenuIcon size={18} />}
              aria-expanded={open}
              onClick={() => {
                drawer.current?.showModal();
                setOpen(true);
              }}
            />
          </span>
        )}
        <Link to="/" className={css.logo} aria-label="All organizations">
          <Logo />
        </Link>
        <OrgSwitch org={org} />
        <span className={css.search}>
          <Button icon={<Search size={15} aria-hidden />} onClick={openPalette}>
            <span className={css.searchText}>Search or jump</span>
            <Kbd keys={navigator.platform.startsWith("Mac") ? "⌘ K" : "Ctrl K"} />
          </Button>
        </span>
        {org && <LiveMark org={org} />}
        <UserMenu />
      </header>
      <OfflineBanner />
      {org && (
        <aside className={css.side}>
          <Navigation org={org} />
        </aside>
      )}
      <main id="main" ref={main} className={css.main} tabIndex={-1}>
        <Outlet />
      </main>
      <dialog ref={drawer} className={css.drawer} aria-label="Pages" onClose={() => setOpen(false)}>
        {open && org && <Navigation org={org} onGo={close} />}
        <Button onClick={close}>Close</Button>
      </dialog>
      <GlobalCommands org={org} />
      <SessionDialog />
      <Announcements />
    </div>
  );
}

/** A page that was gone to begins at its beginning, also for who cannot see it. Live data never moves the focus. */
function useFocusOnNavigation() {
  const router = useRouter();
  const main = useRef<HTMLElement>(null);
  useEffect(
    () =>
      router.subscribe("onResolved", ({ pathChanged, fromLocation }) => {
        if (pathChanged && fromLocation !== undefined) main.current?.focus({ preventScroll: true });
      }),
    [router],
  );
  return main;
}

function Logo() {
  return (
    <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" fill="var(--accent-fill)" />
      <path
        d="M9 20.5 16 24l7-3.5M9 15.8l7 3.5 7-3.5M16 7.5 9 11l7 3.5 7-3.5z"
        fill="none"
        stroke="#fff"
        strokeWidth="2"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  );
}
