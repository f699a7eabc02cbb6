import { useState } from "react";
import { Field } from "../../ui/Field.tsx";
import { AskDialog } from "./AskDialog.tsx";
import type { Writes } from "./useDecisions.ts";

export function HoldDialog({ write, onClose }: { write: Writes["hold"]; onClose: () => void }) {
  const [reason, setReason] = useState("");
  return (
    <AskDialog title="Hold the stack?" yes="Hold" write={write} input={reason.trim()} onClose={onClose}>
      <p>Nothing new begins until somebody releases it. What holds the stack now goes on.</p>
      <Field label="Reason" hint="Everybody who looks at the stack reads it.">
        <input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </AskDialog>
  );
}
