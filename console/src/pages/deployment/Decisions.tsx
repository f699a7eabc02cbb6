/** The buttons a person may press now, and what they open. */
import { useQuery } from "@tanstack/react-query";
import { Ellipsis } from "lucide-react";
import { useState } from "react";
import type { DeploymentPlace } from "../../data/plans.ts";
import { pullRequestQuery } from "../../data/previews.ts";
import type { Deployment, Stack } from "../../data/types.ts";
import { type Command, useCommands } from "../../shell/commands.ts";
import { Button, type ButtonKind } from "../../ui/Button.tsx";
import { Menu, MenuItem } from "../../ui/Menu.tsx";
import { type ButtonName, buttonsOf } from "./buttons.ts";
import { DecisionDialog, type DialogName } from "./DecisionDialog.tsx";
import { isConfirmable } from "./planOnScreen.ts";
import { waitingPlanRun } from "./planState.ts";
import { isPromotable } from "./promotable.ts";
import { useDecisions } from "./useDecisions.ts";
import type { Screen } from "./usePlanOnScreen.ts";

type Props = { place: DeploymentPlace; deployment: Deployment; stack: Stack | null; screen: Screen };

const LABELS: Record<ButtonName, string> = {
  review: "Review...",
  breakGlass: "Apply without approvals...",
  apply: "Apply",
  replan: "Replan...",
  start: "Start the preview",
  skip: "Skip",
  cancel: "Cancel",
  force: "Force the end...",
  retry: "Deploy again",
  hold: "Hold the stack...",
  release: "Release the stack",
  prioritize: "Put first in the queue",
  deprioritize: "Take the priority back",
  promote: "Promote",
};
const KEYS: Partial<Record<ButtonName, string>> = {
  review: "v",
  apply: "a",
  replan: "r",
  start: "a",
  skip: "s",
  cancel: "c",
  force: "c",
  retry: "t",
  hold: "h",
  release: "h",
};
const KINDS: Partial<Record<ButtonName, ButtonKind>> = {
  review: "primary",
  apply: "primary",
  start: "primary",
  force: "danger",
  promote: "primary",
};
/** What asks before it does anything; the others do it at once. */
const ASKS: readonly ButtonName[] = [
  "review",
  "breakGlass",
  "apply",
  "replan",
  "skip",
  "cancel",
  "force",
  "hold",
  "promote",
];

/** What is about the plan that is on screen. */
const ABOUT_PLAN: readonly ButtonName[] = ["review", "breakGlass", "apply", "replan"];

export function Decisions({ place, deployment, stack, screen }: Props) {
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const writes = useDecisions(place, screen, () => setDialog(null));
  const previewOf =
    deployment.mode === "plan_unlocked" && deployment.status === "finished" ? deployment.origin_pr_number : null;
  const request = useQuery(pullRequestQuery(place.org, place.stack, previewOf)).data ?? null;
  const { first, more } = buttonsOf(deployment, stack?.allowed_actions ?? [], isPromotable(deployment, request, stack));
  const waiting = waitingPlanRun(deployment);
  const behind = waiting !== null && ABOUT_PLAN.some((name) => first.includes(name)) && !isConfirmable(screen, waiting);
  // What is not on screen is not decided on: first it is looked at.
  const onScreen = (name: ButtonName) => !behind || !ABOUT_PLAN.includes(name);
  const shown = first.filter(onScreen);
  const others = more.filter(onScreen);
  const press = (name: ButtonName) => {
    if (ASKS.includes(name)) {
      for (const write of Object.values(writes)) write.reset();
      return setDialog(name as DialogName);
    }
    writes[name as "retry"].mutate(undefined);
  };
  const newer = behind && screen.newer !== null;
  const commands: Command[] = [...shown, ...others].map((name) => ({
    label: LABELS[name].replace("...", ""),
    group: "This page",
    run: () => press(name),
    ...(KEYS[name] !== undefined && { keys: KEYS[name] }),
  }));
  if (newer)
    commands.unshift({ label: "Look at the newer plan", group: "This page", keys: "a", run: screen.showNewer });
  useCommands(commands);
  return (
    <>
      {newer && (
        <Button kind="primary" onClick={screen.showNewer}>
          Look at the newer plan
        </Button>
      )}
      {shown.map((name) => (
        <Button
          key={name}
          kind={KINDS[name] ?? "plain"}
          busy={!ASKS.includes(name) && writes[name as "retry"].isPending}
          onClick={() => press(name)}
          aria-keyshortcuts={KEYS[name]}
          data-decision={name}
        >
          {LABELS[name]}
        </Button>
      ))}
      {others.length > 0 && (
        <Menu label="More" trigger={<Button aria-label="More" icon={<Ellipsis size={16} aria-hidden />} />}>
          {others.map((name) => (
            <MenuItem key={name} danger={name === "cancel" || name === "breakGlass"} onSelect={() => press(name)}>
              {LABELS[name]}
            </MenuItem>
          ))}
        </Menu>
      )}
      {dialog !== null && (
        <DecisionDialog
          name={dialog}
          place={place}
          deployment={deployment}
          screen={screen}
          writes={writes}
          pullRequest={request}
          onClose={() => setDialog(null)}
        />
      )}
    </>
  );
}
