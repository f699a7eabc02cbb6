import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { stateChangesQuery, stateKey } from "../../data/state.ts";
import type { Stack, StateVersion } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";
import { Notice } from "../../ui/Notice.tsx";
import { countsOf } from "./stateDifference.ts";

type Props = { stack: Stack; version: StateVersion; present: StateVersion | null; onClose: () => void };

/** Makes an older state the newest one, and says first what that means. */
export function RollbackDialog({ stack, version, present, onClose }: Props) {
  const { org_id, id, name } = stack;
  const [reason, setReason] = useState("");
  const restore = useWrite(
    (text: string, headers) =>
      answerOf(
        api.POST("/api/v1/orgs/{org_id}/stacks/{stack_id}/state/versions/{version_id}/restore", {
          params: { path: { org_id, stack_id: id, version_id: version.id } },
          headers,
          body: { reason: text },
        }),
      ),
    {
      changes: [stateKey(org_id, id)],
      onDone: ({ number }) => {
        toast(`Version ${number} has the state of version ${version.number}`);
        onClose();
      },
    },
  );
  return (
    <FormDialog
      title={`Roll ${name} back to version ${version.number}`}
      submit="Roll back"
      danger
      busy={restore.isPending}
      error={restore.error}
      disabled={reason.trim() === ""}
      onSubmit={() => restore.mutate(reason.trim())}
      onClose={onClose}
    >
      <Notice tone="warn">
        <p>
          The state of version {version.number} becomes a new version, and the next plan goes by it. Infrastructure is
          not touched.
        </p>
        <p>What was made since then is in no state any more: a plan would make it once more, and a destroy leave it.</p>
      </Notice>
      {present && <Difference org={org_id} stack={id} from={present} to={version} />}
      <Field label="Why" hint="It stands in the audit trail" error={fieldErrors(restore.error).get("reason")}>
        <input value={reason} required maxLength={500} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </FormDialog>
  );
}

type DifferenceProps = { org: string; stack: string; from: StateVersion; to: StateVersion };

/** How much of the present state it is about. */
function Difference({ org, stack, from, to }: DifferenceProps) {
  const { data, error } = useQuery(stateChangesQuery(org, stack, to.id, from.id));
  if (error) return <p>How the two differ is not known: {error.message}</p>;
  if (data === undefined) return <p>Looking at how the two differ…</p>;
  const { add, change, destroy } = countsOf(data.items);
  return (
    <p>
      Against version {from.number}, as it is now: <strong>{destroy} forgotten</strong>, {add} known again, {change} as
      they were{data.complete ? "." : ", and more."}
    </p>
  );
}
