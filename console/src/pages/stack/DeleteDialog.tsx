import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError } from "../../../../clients/api/problem.ts";
import { api } from "../../data/api.ts";
import { keys } from "../../data/keys.ts";
import type { Stack } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { Check, Field } from "../../ui/Field.tsx";
import { FormError } from "../../ui/FormError.tsx";
import { Notice } from "../../ui/Notice.tsx";

/** Its name is typed, so that nobody deletes the one beside it. */
export function DeleteDialog({ stack, onClose }: { stack: Stack; onClose: () => void }) {
  const { org_id: org, id, name } = stack;
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const [force, setForce] = useState(false);
  const remove = useWrite(
    (_: undefined, headers) =>
      api.DELETE("/api/v1/orgs/{org_id}/stacks/{stack_id}", {
        params: { path: { org_id: org, stack_id: id }, ...(force && { query: { force: "true" } }) },
        headers,
      }),
    {
      onDone: () => {
        toast(`${name} is deleted`);
        void navigate({ to: "/orgs/$org/stacks", params: { org } });
      },
      changes: [keys.stackList(org), keys.overview(org)],
    },
  );
  const isInUse = remove.error instanceof ApiError && remove.error.status === 409;
  const actions = (
    <>
      <Button onClick={onClose}>Leave it</Button>
      <Button kind="danger" disabled={typed !== name} busy={remove.isPending} onClick={() => remove.mutate(undefined)}>
        Delete
      </Button>
    </>
  );
  return (
    <Dialog title={`Delete ${name}`} onClose={onClose} actions={actions}>
      <Notice tone="warn">
        Infrastructure is not touched, and is then managed by nothing. To remove it, destroy it first.
      </Notice>
      <Field label={`Type ${name}`}>
        <input value={typed} spellCheck={false} autoComplete="off" onChange={(event) => setTyped(event.target.value)} />
      </Field>
      {(isInUse || force) && <Check label="All the same: end what is under way" checked={force} onChange={setForce} />}
      <FormError error={remove.error} />
    </Dialog>
  );
}
