/** For the hour when nobody who could approve is there. */
import { useState } from "react";
import { Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";
import type { DialogProps } from "./dialogProps.ts";
import { waitingPlanRun } from "./planState.ts";

export function BreakGlassDialog({ deployment, writes: { breakGlass }, onClose }: DialogProps) {
  const [reason, setReason] = useState("");
  return (
    <FormDialog
      title="Apply without approvals?"
      submit="Apply without approvals"
      danger
      disabled={reason.trim() === ""}
      busy={breakGlass.isPending}
      error={breakGlass.error}
      onSubmit={() => breakGlass.mutate({ reason: reason.trim(), planRunId: waitingPlanRun(deployment) })}
      onClose={onClose}
    >
      <p>
        It goes on although approvals are missing or somebody rejects it. Your name and the reason stay in the audit
        trail, and everybody who is notified of such hears of it.
      </p>
      <Field label="Reason" error={fieldErrors(breakGlass.error).get("break_glass")}>
        <textarea value={reason} rows={2} maxLength={1000} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
