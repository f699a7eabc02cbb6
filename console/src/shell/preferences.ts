/** What a person has set on this browser. Kept beside the page, never in the service. */
import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
addEventListener("storage", tell);

function tell(): void {
  for (const listener of listeners) listener();
}

export function preference(name: string): string | null {
  try {
    return localStorage.getItem(`console.${name}`);
  } catch {
    return null;
  }
}

export function setPreference(name: string, value: string): void {
  try {
    localStorage.setItem(`console.${name}`, value);
  } catch {
    // A browser that keeps nothing forgets it with the page.
  }
  tell();
}

export function usePreference(name: string): string | null {
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return useSyncExternalStore(subscribe, () => preference(name));
}
