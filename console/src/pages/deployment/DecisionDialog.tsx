/** What is asked before something is done that cannot be undone. */
import type { PullRequest } from "../../data/types.ts";
import { ApplyDialog } from "./ApplyDialog.tsx";
import { AskDialog } from "./AskDialog.tsx";
import { BreakGlassDialog } from "./BreakGlassDialog.tsx";
import type { DialogProps } from "./dialogProps.ts";
import { HoldDialog } from "./HoldDialog.tsx";
import { PromoteDialog } from "./PromoteDialog.tsx";
import { ReplanDialog } from "./ReplanDialog.tsx";
import { ReviewDialog } from "./ReviewDialog.tsx";

export type DialogName =
  | "review"
  | "breakGlass"
  | "apply"
  | "replan"
  | "skip"
  | "cancel"
  | "force"
  | "hold"
  | "promote";

type Props = DialogProps & { name: DialogName; pullRequest: PullRequest | null };

export function DecisionDialog({ name, pullRequest, ...rest }: Props) {
  const { deployment, writes, onClose } = rest;
  switch (name) {
    case "review":
      return <ReviewDialog {...rest} />;
    case "breakGlass":
      return <BreakGlassDialog {...rest} />;
    case "apply":
      return <ApplyDialog {...rest} />;
    case "replan":
      return <ReplanDialog {...rest} />;
    case "hold":
      return <HoldDialog write={writes.hold} onClose={onClose} />;
    case "promote":
      return <PromoteDialog write={writes.promote} request={pullRequest} onClose={onClose} />;
    case "skip":
      return (
        <AskDialog title="Skip this deployment?" yes="Skip" write={writes.skip} input={undefined} onClose={onClose}>
          <p>It ends without an apply, and the next one of the stack gets its turn. This cannot be undone.</p>
        </AskDialog>
      );
    case "cancel":
      return (
        <AskDialog
          title="Cancel this deployment?"
          yes="Cancel it"
          kind="danger"
          write={writes.cancel}
          input={false}
          onClose={onClose}
        >
          {deployment.status === "applying" || deployment.status === "planning" ? (
            <p>
              The engine is asked to stop. It finishes what it is in the middle of, saves the state and gives its lock
              back. What it has already changed stays changed.
            </p>
          ) : (
            <p>It ends now; nothing of it was applied.</p>
          )}
        </AskDialog>
      );
    case "force":
      return (
        <AskDialog
          title="End it by force?"
          yes="End it by force"
          kind="danger"
          write={writes.cancel}
          input={true}
          onClose={onClose}
        >
          <p>
            The engine may still be working: the stack's state may be written by two at once, and its lock may stay
            behind. Only do this when the runner is gone.
          </p>
        </AskDialog>
      );
  }
}
