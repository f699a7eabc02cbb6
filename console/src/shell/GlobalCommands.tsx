/** Keys and commands that hold everywhere. The palette is loaded when it is first asked for. */
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useEffect } from "react";
import { type Command, useCommands } from "./commands.ts";
import { KeySheet } from "./KeySheet.tsx";
import { listenForKeys } from "./keys.ts";
import { SETUP, WORK } from "./pages.ts";
import { closeOverlay, openKeySheet, openPalette, useOverlay } from "./paletteState.ts";
import { chooseTheme, THEMES } from "./theme.ts";

const Palette = lazy(() => import("./Palette.tsx"));

export function GlobalCommands({ org }: { org: string | undefined }) {
  const navigate = useNavigate();
  const overlay = useOverlay();
  useEffect(() => listenForKeys(openPalette), []);
  const pages: Command[] = (org === undefined ? [] : [...WORK, ...SETUP]).map(({ to, label, keys }) => ({
    label,
    keys,
    group: "Go to",
    run: () => void navigate({ to, params: { org: org as string } }),
  }));
  useCommands([
    ...pages,
    {
      label: "You: tokens, sessions, identities",
      keys: "g m",
      group: "Go to",
      run: () => void navigate({ to: "/me" }),
    },
    { label: "Keys", keys: "?", group: "Everywhere", run: openKeySheet },
    { label: "Search or jump", keys: "/", group: "Everywhere", run: focusFilter },
    ...THEMES.map(
      ({ value, label }): Command => ({
        label: `Theme: ${label.toLowerCase()}`,
        group: "Everywhere",
        run: () => chooseTheme(value),
      }),
    ),
  ]);
  return (
    <Suspense fallback={null}>
      {overlay === "palette" && <Palette org={org} onClose={closeOverlay} />}
      {overlay === "keys" && <KeySheet onClose={closeOverlay} />}
    </Suspense>
  );
}

/** The filter of the page, or the palette where it has none. */
function focusFilter(): void {
  const filter = document.querySelector<HTMLElement>("main input[type=search]");
  if (filter === null) openPalette();
  else filter.focus();
}
