import { useSyncExternalStore } from "react";

/** What lies over the page: nothing, the palette, or the sheet of keys. */
type Overlay = "none" | "palette" | "keys";
let overlay: Overlay = "none";
const listeners = new Set<() => void>();

function show(next: Overlay): void {
  overlay = next;
  for (const listener of listeners) listener();
}

export const openPalette = (): void => show("palette");
export const openKeySheet = (): void => show("keys");
export const closeOverlay = (): void => show("none");

export function useOverlay(): Overlay {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => overlay,
  );
}
