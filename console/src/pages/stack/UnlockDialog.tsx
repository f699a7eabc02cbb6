import { useState } from "react";
import { api } from "../../data/api.ts";
import { stateKey } from "../../data/state.ts";
import type { Stack, StateLock } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";
import { Notice } from "../../ui/Notice.tsx";
import { Time } from "../../ui/Time.tsx";

type Props = { stack: Stack; lock: StateLock; onClose: () => void };

/** Takes the lock from whoever left it. */
export function UnlockDialog({ stack, lock, onClose }: Props) {
  const { org_id, id, name } = stack;
  const [reason, setReason] = useState("");
  const unlock = useWrite<unknown, string>(
    (text, headers) =>
      api.POST("/api/v1/orgs/{org_id}/stacks/{stack_id}/state/force-unlock", {
        params: { path: { org_id, stack_id: id } },
        headers,
        body: { reason: text },
      }),
    {
      changes: [stateKey(org_id, id)],
      onDone: () => {
        toast("The state is unlocked");
        onClose();
      },
    },
  );
  return (
    <FormDialog
      title={`Force unlock ${name}`}
      submit="Take the lock away"
      danger
      busy={unlock.isPending}
      error={unlock.error}
      disabled={reason.trim() === ""}
      onSubmit={() => unlock.mutate(reason.trim())}
      onClose={onClose}
    >
      <Notice tone="warn">
        {lock.who || "Somebody"} has it{lock.operation && ` for ${lock.operation}`}
        {lock.locked_at !== null && (
          <>
            , taken <Time at={lock.locked_at} />
          </>
        )}
        . If that engine is still at work, it cannot store what it has changed, and nobody will know of it.
      </Notice>
      <Field label="Why" hint="It stands in the audit trail" error={fieldErrors(unlock.error).get("reason")}>
        <input value={reason} required maxLength={500} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
