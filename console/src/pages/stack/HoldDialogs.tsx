/** Keeping a stack from beginning anything new, and letting it. */
import { type FormEvent, useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { keys } from "../../data/keys.ts";
import type { Stack } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { Field } from "../../ui/Field.tsx";
import { FormError } from "../../ui/FormError.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";

type Props = { stack: Stack; onClose: () => void };

const changed = ({ org_id: org, id }: Stack) => [keys.stack(org, id), keys.stackList(org), keys.overview(org)];
const at = ({ org_id, id }: Stack) => ({ path: { org_id, stack_id: id } });

export function HoldDialog({ stack, onClose }: Props) {
  const [reason, setReason] = useState("");
  const hold = useWrite(
    (text: string, headers) =>
      answerOf(
        api.POST("/api/v1/orgs/{org_id}/stacks/{stack_id}/hold", {
          params: at(stack),
          headers,
          body: { reason: text },
        }),
      ),
    {
      changes: changed(stack),
      onDone: () => {
        toast(`${stack.name} is on hold`);
        onClose();
      },
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    hold.mutate(reason);
  };
  const actions = (
    <>
      <Button onClick={onClose}>Leave it</Button>
      <Button type="submit" form="hold" kind="primary" busy={hold.isPending}>
        Hold
      </Button>
    </>
  );
  return (
    <Dialog title={`Hold ${stack.name}`} onClose={onClose} actions={actions}>
      <p>Nothing new begins until it is released. What has begun goes on.</p>
      <form id="hold" onSubmit={submit}>
        <Field label="Why" hint="Everybody who waits sees it" error={fieldErrors(hold.error).get("reason")}>
          <input value={reason} required onChange={(event) => setReason(event.target.value)} />
        </Field>
      </form>
      <FormError error={hold.error} />
    </Dialog>
  );
}

export function ReleaseDialog({ stack, onClose }: Props) {
  const release = useWrite(
    (_: undefined, headers) =>
      answerOf(api.POST("/api/v1/orgs/{org_id}/stacks/{stack_id}/release", { params: at(stack), headers })),
    {
      changes: changed(stack),
      onDone: () => {
        toast(`${stack.name} is released`);
        onClose();
      },
    },
  );
  const actions = (
    <>
      <Button onClick={onClose}>Leave it</Button>
      <Button kind="primary" busy={release.isPending} onClick={() => release.mutate(undefined)}>
        Release
      </Button>
    </>
  );
  return (
    <Dialog title={`Release ${stack.name}`} onClose={onClose} actions={actions}>
      <p>
        It was put on hold{stack.hold_reason && ` because: ${stack.hold_reason}`}. The first of its queue begins at
        once.
      </p>
      <FormError error={release.error} />
    </Dialog>
  );
}
