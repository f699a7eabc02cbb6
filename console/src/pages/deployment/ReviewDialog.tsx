/** One's own word about the plan that is on screen. */
import { useState } from "react";
import { Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import type { DialogProps } from "./dialogProps.ts";
import { waitingPlanRun } from "./planState.ts";

export function ReviewDialog({ deployment, writes: { review }, onClose }: DialogProps) {
  const [verdict, setVerdict] = useState<"approve" | "reject">("approve");
  const [comment, setComment] = useState("");
  const plan = waitingPlanRun(deployment);
  const said = comment.trim();
  return (
    <FormDialog
      title="Review this plan"
      submit={verdict === "approve" ? "Approve" : "Reject"}
      danger={verdict === "reject"}
      busy={review.isPending}
      error={review.error}
      onSubmit={() =>
        review.mutate({ verdict, ...(said !== "" && { comment: said }), ...(plan !== null && { plan_run_id: plan }) })
      }
      onClose={onClose}
    >
      <p>It counts for this plan alone: another plan needs another look. Your newest word replaces an earlier one.</p>
      <Field label="Verdict">
        <select value={verdict} onChange={(event) => setVerdict(event.target.value as "approve" | "reject")}>
          <option value="approve">Approve: it may be applied</option>
          <option value="reject">Reject: it may not</option>
        </select>
      </Field>
      <Field label="Comment" hint="Everybody who looks at the deployment reads it.">
        <textarea value={comment} rows={3} maxLength={2000} onChange={(event) => setComment(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
