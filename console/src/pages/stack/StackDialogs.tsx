import type { Stack } from "../../data/types.ts";
import { actionsFor } from "./actions.ts";
import { CommandDialog } from "./CommandDialog.tsx";
import { DeleteDialog } from "./DeleteDialog.tsx";
import { DeployDialog, type DeployMode } from "./DeployDialog.tsx";
import { HoldDialog, ReleaseDialog } from "./HoldDialogs.tsx";

const MODES: Readonly<Record<string, DeployMode>> = {
  deploy: "plan",
  preview: "plan_unlocked",
  refresh: "refresh",
  destroy: "destroy",
};

type Props = { stack: Stack; dialog: string | undefined; onClose: () => void };

/** The one that the address names, if this person may do what it does. */
export function StackDialogs({ stack, dialog, onClose }: Props) {
  if (!actionsFor(stack.allowed_actions).some((action) => action.dialog === dialog)) return null;
  const mode = MODES[dialog ?? ""];
  if (mode !== undefined) return <DeployDialog key={mode} stack={stack} mode={mode} onClose={onClose} />;
  if (dialog === "command") return <CommandDialog stack={stack} onClose={onClose} />;
  if (dialog === "hold") return <HoldDialog stack={stack} onClose={onClose} />;
  if (dialog === "release") return <ReleaseDialog stack={stack} onClose={onClose} />;
  return <DeleteDialog stack={stack} onClose={onClose} />;
}
