import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { keys } from "../../data/keys.ts";
import type { Stack } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { Field } from "../../ui/Field.tsx";
import { FormError } from "../../ui/FormError.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";

/** A script in the stack's place, with its secrets and its state. */
export function CommandDialog({ stack, onClose }: { stack: Stack; onClose: () => void }) {
  const { org_id: org, id } = stack;
  const navigate = useNavigate();
  const [script, setScript] = useState("");
  const run = useWrite(
    (text: string, headers) =>
      answerOf(
        api.POST("/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/run-command", {
          params: { path: { org_id: org, stack_id: id } },
          headers,
          body: { script: text },
        }),
      ),
    {
      changes: [keys.stackWork(org, id), keys.deployments(org), keys.overview(org)],
      onDone: (made) =>
        void navigate({ to: "/orgs/$org/stacks/$stack/deployments/$id", params: { org, stack: id, id: made.id } }),
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    run.mutate(script);
  };
  const actions = (
    <>
      <Button onClick={onClose}>Leave it</Button>
      <Button type="submit" form="command" kind="primary" busy={run.isPending} disabled={script.trim() === ""}>
        Run
      </Button>
    </>
  );
  return (
    <Dialog title={`Run a command on ${stack.name}`} onClose={onClose} actions={actions} wide>
      <p>
        It waits for its turn in the queue, and runs in the stack's folder with its variables and credentials. The
        script is kept encrypted and shown to nobody; what it prints is the log.
      </p>
      <form id="command" onSubmit={submit}>
        <Field label="Script" error={fieldErrors(run.error).get("script")}>
          <textarea
            rows={8}
            spellCheck={false}
            placeholder={`${stack.tool} state list`}
            value={script}
            onChange={(event) => setScript(event.target.value)}
          />
        </Field>
      </form>
      <FormError error={run.error} />
    </Dialog>
  );
}
