/** What can be done now, by a key and in the palette. Whatever is on screen adds its own for as long as it is there. */
import { useEffect, useRef, useSyncExternalStore } from "react";

export type Command = {
  label: string;
  /** Pressed one after the other: `g d`; `?`. */
  keys?: string;
  group: "Go to" | "This page" | "Everywhere";
  run: () => void;
};

let registered: readonly (readonly Command[])[] = [];
const listeners = new Set<() => void>();

function set(next: typeof registered): void {
  registered = next;
  for (const listener of listeners) listener();
}

/** Newest first, so that a dialog's keys win over those of the page below. */
export function currentCommands(): Command[] {
  return registered.toReversed().flat();
}

/** @param commands may be made anew at each rendering; what they do is always the newest */
export function useCommands(commands: readonly Command[]): void {
  const newest = useRef(commands);
  newest.current = commands;
  const shape = commands.map(({ label, keys, group }) => `${group}/${label}/${keys ?? ""}`).join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: registered anew when another set of commands is offered
  useEffect(() => {
    const own = newest.current.map((command, index) => ({ ...command, run: () => newest.current[index]?.run() }));
    set([...registered, own]);
    return () => set(registered.filter((set) => set !== own));
  }, [shape]);
}

export function useAllCommands(): readonly (readonly Command[])[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => registered,
  );
}
