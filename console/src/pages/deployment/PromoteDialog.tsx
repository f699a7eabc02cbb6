import { ApiError } from "../../../../clients/api/problem.ts";
import type { PullRequest } from "../../data/types.ts";
import { AskDialog } from "./AskDialog.tsx";
import type { Writes } from "./useDecisions.ts";

type Props = { write: Writes["promote"]; request: PullRequest | null; onClose: () => void };

/** A commit that would take back what the branch has may be promoted too, once that was read. */
export function PromoteDialog({ write, request, onClose }: Props) {
  if (request === null) return null;
  const { error } = write;
  const force = error instanceof ApiError && (error.code === "base_diverged" || error.code === "base_unknown");
  return (
    <AskDialog
      title={`Promote #${request.number}?`}
      yes={force ? "Promote all the same" : "Promote"}
      kind={force ? "danger" : "primary"}
      write={write}
      input={{ number: request.number, force }}
      onClose={onClose}
    >
      <p>
        Exactly the commit of this preview, <code>{request.head_sha.slice(0, 7)}</code>, is deployed: planned anew in
        the stack's turn, with everything that the stack gets.
      </p>
    </AskDialog>
  );
}
