import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { keys } from "../../data/keys.ts";
import { lifetimeKey, lifetimeQuery } from "../../data/schedules.ts";
import type { Stack, StackLifetime } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Button } from "../../ui/Button.tsx";
import { Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";
import { Lifetime } from "../../ui/Lifetime.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Time } from "../../ui/Time.tsx";

const PUT_OFF: Readonly<Record<NonNullable<StackLifetime["put_off"]>, string>> = {
  held: "It waits until the stack is released.",
  busy: "It waits for a runner that works on the stack.",
  quota: "It waits until fewer deployments of the organization wait.",
};

/** That a stack ends by itself, when and why; nothing for one that stays. */
export function Expiry({ stack }: { stack: Stack & { expires_at: string } }) {
  const { org_id: org, id, expires_at, allowed_actions } = stack;
  const { data: lifetime } = useQuery(lifetimeQuery(org, id));
  const [isOpen, setOpen] = useState(false);
  const { phase = "alive", reason = null, error = null, put_off = null } = lifetime ?? {};
  const destroy = lifetime?.destroy_deployment_id ?? null;
  return (
    <Notice tone={phase === "failed" ? "bad" : "warn"}>
      {phase === "alive" && (
        <>
          <strong>Ends</strong> <Time at={expires_at} />: it is destroyed and deleted then.
        </>
      )}
      {phase === "destroying" && <strong>Its time is over, and it is being destroyed.</strong>}
      {phase === "failed" && (
        <>
          <strong>Its time is over, and it could not be ended.</strong> {error}
        </>
      )}
      {destroy !== null && (
        <>
          {" "}
          <Link to="/orgs/$org/stacks/$stack/deployments/$id" params={{ org, stack: id, id: destroy }}>
            Its destroy
          </Link>
        </>
      )}
      {reason !== null && ` Reason: ${reason}.`}
      {put_off !== null && ` ${PUT_OFF[put_off]}`}{" "}
      {phase !== "destroying" && allowed_actions.includes("update") && (
        <Button small onClick={() => setOpen(true)}>
          Prolong
        </Button>
      )}
      {isOpen && <ProlongDialog stack={stack} onClose={() => setOpen(false)} />}
    </Notice>
  );
}

function ProlongDialog({ stack, onClose }: { stack: Stack; onClose: () => void }) {
  const { org_id: org, id } = stack;
  const [draft, setDraft] = useState({ by: "P7D", reason: "" });
  const prolong = useWrite<StackLifetime, typeof draft>(
    ({ by, reason }, headers) =>
      answerOf(
        api.PATCH("/api/v1/orgs/{org_id}/stacks/{stack_id}/lifetime", {
          params: { path: { org_id: org, stack_id: id } },
          headers,
          body: { extend_by: by, reason },
        }),
      ),
    {
      changes: [keys.stack(org, id), keys.stackList(org), lifetimeKey(org, id)],
      onDone: () => {
        toast(`${stack.name} lives longer`);
        onClose();
      },
    },
  );
  const errors = fieldErrors(prolong.error);
  return (
    <FormDialog
      title={`Prolong ${stack.name}`}
      submit="Prolong"
      busy={prolong.isPending}
      error={prolong.error}
      onSubmit={() => prolong.mutate(draft)}
      onClose={onClose}
    >
      <Lifetime
        label="By"
        value={draft.by}
        onChange={(by) => setDraft({ ...draft, by: by || "P7D" })}
        error={errors.get("extend_by")}
      />
      <Field label="Why" hint="Whoever is reminded sees it" error={errors.get("reason")}>
        <input value={draft.reason} required onChange={(event) => setDraft({ ...draft, reason: event.target.value })} />
      </Field>
    </FormDialog>
  );
}
