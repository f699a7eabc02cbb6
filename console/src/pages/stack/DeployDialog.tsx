import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { ApiError } from "../../../../clients/api/problem.ts";
import { api } from "../../data/api.ts";
import { keys } from "../../data/keys.ts";
import type { Stack } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { Check, Field } from "../../ui/Field.tsx";
import { FormError } from "../../ui/FormError.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";
import { Notice } from "../../ui/Notice.tsx";
import css from "./dialogs.module.css";

export type DeployMode = "plan" | "plan_unlocked" | "refresh" | "destroy";

const WORDS: Readonly<Record<DeployMode, { title: string; press: string; text: string }>> = {
  plan: { title: "Deploy", press: "Plan", text: "Plans the changes. What happens next is on its page." },
  plan_unlocked: {
    title: "Preview",
    press: "Preview",
    text: "Plans beside the queue; nothing can be applied from it.",
  },
  refresh: { title: "Refresh", press: "Plan", text: "Brings the state up to what is there; a person confirms it." },
  destroy: { title: "Destroy", press: "Plan the destruction", text: "Plans to destroy all that the stack made." },
};
const ADDRESSES = ["targets", "excludes", "replaces"] as const;
const LABELS = { targets: "Only these", excludes: "Without these", replaces: "Replace these" };

export function DeployDialog({ stack, mode, onClose }: { stack: Stack; mode: DeployMode; onClose: () => void }) {
  const { org_id: org, id } = stack;
  const navigate = useNavigate();
  const [commit, setCommit] = useState("");
  const [foreign, setForeign] = useState(false);
  const [addresses, setAddresses] = useState({ targets: "", excludes: "", replaces: "" });
  const { title, press, text } = WORDS[mode];
  const create = useWrite(
    (_: undefined, headers) =>
      answerOf(
        api.POST("/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments", {
          params: { path: { org_id: org, stack_id: id } },
          headers,
          body: {
            mode,
            ...(commit.trim() !== "" && { commit_sha: commit.trim() }),
            ...(foreign && { allow_foreign: true }),
            ...Object.fromEntries(
              ADDRESSES.map((name) => [name, linesOf(addresses[name])] as const).filter(([, list]) => list.length > 0),
            ),
          },
        }),
      ),
    {
      changes: [keys.stackWork(org, id), keys.deployments(org), keys.overview(org)],
      onDone: (made) =>
        void navigate({ to: "/orgs/$org/stacks/$stack/deployments/$id", params: { org, stack: id, id: made.id } }),
    },
  );
  const errors = fieldErrors(create.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(undefined);
  };
  const isForeign = create.error instanceof ApiError && create.error.code === "commit_not_on_branch";
  const actions = (
    <>
      <Button onClick={onClose}>Leave it</Button>
      <Button type="submit" form="deploy" kind={mode === "destroy" ? "danger" : "primary"} busy={create.isPending}>
        {press}
      </Button>
    </>
  );
  return (
    <Dialog title={`${title} ${stack.name}`} onClose={onClose} actions={actions}>
      {mode === "destroy" ? (
        <Notice tone="warn">{text} A person confirms it before anything goes.</Notice>
      ) : (
        <p>{text}</p>
      )}
      <form id="deploy" onSubmit={submit} className={css.form}>
        <Field
          label="Commit"
          hint={`All 40 characters of it. Empty: the head of ${stack.branch}`}
          error={errors.get("commit_sha")}
        >
          <input value={commit} spellCheck={false} onChange={(event) => setCommit(event.target.value)} />
        </Field>
        {(isForeign || foreign) && (
          <Check
            label={`Although it is not on ${stack.branch}`}
            hint="It runs without secrets, and nothing is applied by itself"
            checked={foreign}
            onChange={setForeign}
          />
        )}
        <details>
          <summary>Only some resources</summary>
          <div className={css.folded}>
            {ADDRESSES.map((name) => (
              <Field key={name} label={LABELS[name]} hint="Addresses, one a line" error={errors.get(name)}>
                <textarea
                  rows={2}
                  spellCheck={false}
                  value={addresses[name]}
                  onChange={(event) => setAddresses({ ...addresses, [name]: event.target.value })}
                />
              </Field>
            ))}
          </div>
        </details>
      </form>
      <FormError error={create.error} />
    </Dialog>
  );
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}
