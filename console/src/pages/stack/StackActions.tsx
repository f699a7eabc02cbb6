import { Ellipsis, Rocket } from "lucide-react";
import type { Stack } from "../../data/types.ts";
import { useCommands } from "../../shell/commands.ts";
import { Button, IconButton } from "../../ui/Button.tsx";
import { Menu, MenuItem } from "../../ui/Menu.tsx";
import { actionsFor, type StackDialog } from "./actions.ts";

type Props = { stack: Stack; onOpen: (dialog: StackDialog) => void };

/** What this person may press now; the first of it as a button, all of it as commands. */
export function StackActions({ stack, onOpen }: Props) {
  const actions = actionsFor(stack.allowed_actions);
  useCommands(
    actions.map(({ dialog, label, keys }) => ({
      label,
      ...(keys !== undefined && { keys }),
      group: "This page" as const,
      run: () => onOpen(dialog),
    })),
  );
  const [first, ...others] = actions;
  if (first === undefined) return null;
  return (
    <>
      <Button
        kind={first.dialog === "deploy" ? "primary" : "plain"}
        icon={<Rocket size={15} aria-hidden />}
        onClick={() => onOpen(first.dialog)}
      >
        {first.label}
      </Button>
      {others.length > 0 && (
        <Menu label="More" trigger={<IconButton label="More" icon={<Ellipsis size={18} />} />}>
          {others.map(({ dialog, label, danger = false }) => (
            <MenuItem key={dialog} danger={danger} onSelect={() => onOpen(dialog)}>
              {label}
            </MenuItem>
          ))}
        </Menu>
      )}
    </>
  );
}
