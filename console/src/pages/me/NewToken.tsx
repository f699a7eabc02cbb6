import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { tokensKey } from "../../data/me.ts";
import { orgsQuery } from "../../data/orgs.ts";
import { useWrite } from "../../data/write.ts";
import { Button } from "../../ui/Button.tsx";
import { Copy } from "../../ui/Copy.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { Field } from "../../ui/Field.tsx";
import { FormError } from "../../ui/FormError.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";
import { Notice } from "../../ui/Notice.tsx";
import css from "./rows.module.css";

const LIFETIMES = [
  { value: "P7D", label: "7 days" },
  { value: "P30D", label: "30 days" },
  { value: "P90D", label: "90 days" },
  { value: "P365D", label: "a year" },
];

export function NewToken({ onClose }: { onClose: () => void }) {
  const { data: orgs = [] } = useQuery(orgsQuery());
  const [form, setForm] = useState({ name: "", org: "", lifetime: "P30D" });
  const create = useWrite(
    ({ name, org, lifetime }: typeof form, headers) =>
      answerOf(api.POST("/api/v1/me/tokens", { body: { name, org_id: org, lifetime }, headers })),
    { changes: [tokensKey] },
  );
  if (create.data !== undefined) return <MadeToken token={create.data.token} onClose={onClose} />;
  const errors = fieldErrors(create.error);
  const org = form.org || (orgs.find(({ is_personal }) => !is_personal) ?? orgs[0])?.id || "";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate({ ...form, org });
  };
  const actions = (
    <>
      <Button onClick={onClose}>Leave it</Button>
      <Button type="submit" form="token" kind="primary" busy={create.isPending}>
        Make it
      </Button>
    </>
  );
  return (
    <Dialog title="New token" onClose={onClose} actions={actions}>
      <form id="token" className={css.form} onSubmit={submit}>
        <Field label="Name" hint="What uses it, such as a laptop or a pipeline" error={errors.get("name")}>
          <input required value={form.name} onChange={(event) => setForm({ ...form, name: event.target.value })} />
        </Field>
        <Field label="Organization" hint="It acts in this one alone" error={errors.get("org_id")}>
          <select value={org} onChange={(event) => setForm({ ...form, org: event.target.value })}>
            {orgs.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </Field>
        <Field label="For" error={errors.get("lifetime")}>
          <select value={form.lifetime} onChange={(event) => setForm({ ...form, lifetime: event.target.value })}>
            {LIFETIMES.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </Field>
      </form>
      <FormError error={create.error} />
    </Dialog>
  );
}

function MadeToken({ token, onClose }: { token: string; onClose: () => void }) {
  return (
    <Dialog title="The token" onClose={onClose} actions={<Button onClick={onClose}>I have kept it</Button>}>
      <Notice tone="warn">It is shown this once. Whoever has it acts as you.</Notice>
      <p className={css.secret}>
        <code>{token}</code>
        <Copy text={token} what="the token" />
      </p>
    </Dialog>
  );
}
