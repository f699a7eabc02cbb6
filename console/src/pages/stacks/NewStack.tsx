import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { keys } from "../../data/keys.ts";
import { useWrite } from "../../data/write.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { FormError } from "../../ui/FormError.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";
import { changesOf, EMPTY_DRAFT, type StackBody } from "../../ui/stackForm/draft.ts";
import { StackFields } from "../../ui/stackForm/StackFields.tsx";
import css from "./NewStack.module.css";

export function NewStack({ org, onClose }: { org: string; onClose: () => void }) {
  const navigate = useNavigate();
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const create = useWrite(
    (body: StackBody, headers) =>
      answerOf(api.POST("/api/v1/orgs/{org_id}/stacks", { params: { path: { org_id: org } }, headers, body })),
    {
      changes: [keys.stackList(org)],
      onDone: ({ id }) => void navigate({ to: "/orgs/$org/stacks/$stack", params: { org, stack: id } }),
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { name, repository_url, branch } = draft;
    create.mutate({ name, repository_url, branch, ...changesOf(EMPTY_DRAFT, draft) });
  };
  const actions = (
    <>
      <Button onClick={onClose}>Leave it</Button>
      <Button type="submit" form="stack" kind="primary" busy={create.isPending}>
        Make it
      </Button>
    </>
  );
  return (
    <Dialog title="New stack" onClose={onClose} actions={actions} wide>
      <form id="stack" className={css.form} onSubmit={submit}>
        <StackFields
          draft={draft}
          onChange={(some) => setDraft((now) => ({ ...now, ...some }))}
          errors={fieldErrors(create.error)}
        />
      </form>
      <FormError error={create.error} />
    </Dialog>
  );
}
