/** What can be done with a stack: by whom it may be, under which word, and where its dialog is. */
import type { StackAction } from "../../data/types.ts";

const DIALOGS = ["deploy", "preview", "refresh", "destroy", "command", "hold", "release", "delete"] as const;
export type StackDialog = (typeof DIALOGS)[number];

type Entry = { dialog: StackDialog; needs: StackAction; label: string; keys?: string; danger?: boolean };

const ACTIONS: readonly Entry[] = [
  { dialog: "deploy", needs: "plan", label: "Deploy", keys: "c" },
  { dialog: "preview", needs: "plan_unlocked", label: "Preview", keys: "p" },
  { dialog: "refresh", needs: "refresh", label: "Refresh" },
  { dialog: "command", needs: "raw", label: "Run a command" },
  { dialog: "hold", needs: "hold", label: "Hold" },
  { dialog: "release", needs: "release", label: "Release" },
  { dialog: "destroy", needs: "destroy", label: "Destroy", danger: true },
  { dialog: "delete", needs: "delete", label: "Delete the stack", danger: true },
];

export function actionsFor(allowed: readonly StackAction[]): Entry[] {
  return ACTIONS.filter(({ needs }) => allowed.includes(needs));
}
