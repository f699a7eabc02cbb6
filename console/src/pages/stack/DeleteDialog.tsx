import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError } from "../../../../clients/api/problem.ts";
import { api } from "../../data/api.ts";
import { keys } from "../../data/keys.ts";
import { useMay } from "../../data/permissions.ts";
import { presentStateQuery } from "../../data/state.ts";
import type { Stack } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { Check, Field } from "../../ui/Field.tsx";
import { FormError } from "../../ui/FormError.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { resourcesText } from "./stateFacts.ts";

/** Its name is typed, so that nobody deletes the one beside it. */
export function DeleteDialog({ stack, onClose }: { stack: Stack; onClose: () => void }) {
  const { org_id: org, id, name } = stack;
  const mayRead = useMay(org)("stack", "read_state", name, stack.authz_groups);
  const { data: state } = useQuery({ ...presentStateQuery(org, id), enabled: mayRead });
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
  const isRefused = remove.error instanceof ApiError && remove.error.status === 409;
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
      {state && state.resources !== 0 && (
        <Notice tone="warn">
          The service keeps its state, with <strong>{resourcesText(state.resources)}</strong>.
        </Notice>
      )}
      {/* The service is asked for both at once, so both are said. */}
      {(isRefused || force) && (
        <Check
          label="All the same: end what is under way, and forget the resources in its state"
          hint="They stay where they are, and nobody knows of them any more"
          checked={force}
          onChange={setForce}
        />
      )}
      <FormError error={remove.error} />
    </Dialog>
  );
}
