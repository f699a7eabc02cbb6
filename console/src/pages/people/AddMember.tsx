import { useState } from "react";
import { api } from "../../data/api.ts";
import { peopleKey } from "../../data/people.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";

/** Somebody who has signed in before, by their id. */
export function AddMember({ org, onClose }: { org: string; onClose: () => void }) {
  const [id, setId] = useState("");
  const add = useWrite(
    async (user_id: string, headers) => {
      const { response } = await api.POST("/api/v1/orgs/{org_id}/members", {
        params: { path: { org_id: org } },
        body: { user_id },
        headers,
      });
      return response.status;
    },
    {
      changes: [peopleKey(org)],
      onDone: (status) => {
        toast(status === 201 ? "Is a member now" : "They are asked whether they want to join");
        onClose();
      },
    },
  );
  return (
    <FormDialog
      title="Add a member"
      submit="Add"
      busy={add.isPending}
      error={add.error}
      onSubmit={() => add.mutate(id.trim())}
      onClose={onClose}
    >
      <p>
        For somebody who has signed in here before. Who is in no organization that you administer is asked first.
        Anybody else is invited by the login they will sign in with.
      </p>
      <Field
        label="Their id"
        hint="They find it on their own page, under You."
        error={fieldErrors(add.error).get("user_id")}
      >
        <input value={id} required spellCheck={false} onChange={(event) => setId(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
