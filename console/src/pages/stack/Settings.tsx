import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { keys } from "../../data/keys.ts";
import { stackQuery } from "../../data/stacks.ts";
import type { Stack } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Button } from "../../ui/Button.tsx";
import { FormError } from "../../ui/FormError.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";
import { Panel } from "../../ui/Panel.tsx";
import { changesOf, type Draft, draftOf } from "../../ui/stackForm/draft.ts";
import { StackFields } from "../../ui/stackForm/StackFields.tsx";
import { Cloud } from "./Cloud.tsx";
import css from "./tabs.module.css";
import { Variables } from "./Variables.tsx";

const route = getRouteApi("/orgs/$org/stacks/$stack/settings");

export default function Settings() {
  const { org, stack: id } = route.useParams();
  const { data: stack } = useQuery(stackQuery(org, id));
  if (stack === undefined) return null;
  return (
    <>
      <SettingsForm key={stack.id} stack={stack} />
      <Variables org={org} stack={id} />
      <Cloud stack={stack} />
    </>
  );
}

/** Only what was changed is sent, so that two people do not take back each other's changes. */
function SettingsForm({ stack }: { stack: Stack }) {
  const { org_id: org, id } = stack;
  const [before, setBefore] = useState(() => draftOf(stack));
  const [draft, setDraft] = useState(before);
  const save = useWrite(
    (body: ReturnType<typeof changesOf>, headers) =>
      answerOf(
        api.PATCH("/api/v1/orgs/{org_id}/stacks/{stack_id}", {
          params: { path: { org_id: org, stack_id: id } },
          headers,
          body,
        }),
      ),
    {
      changes: [keys.stack(org, id), keys.stackList(org)],
      onDone: (saved) => {
        setBefore(draftOf(saved));
        setDraft(draftOf(saved));
        toast("The settings are saved");
      },
    },
  );
  const changes = changesOf(before, draft);
  const count = Object.keys(changes).length;
  const mayUpdate = stack.allowed_actions.includes("update");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(changes);
  };
  const change = (some: Partial<Draft>) => setDraft((now) => ({ ...now, ...some }));
  return (
    <Panel title="Settings">
      <form onSubmit={submit}>
        <div className={css.settings}>
          <StackFields draft={draft} onChange={change} errors={fieldErrors(save.error)} disabled={!mayUpdate} />
          <FormError error={save.error} />
        </div>
        {mayUpdate ? (
          <div className={css.save}>
            <Button type="submit" kind="primary" disabled={count === 0} busy={save.isPending}>
              {count === 0 ? "Nothing changed" : `Save ${count} ${count === 1 ? "change" : "changes"}`}
            </Button>
            {count > 0 && <Button onClick={() => setDraft(before)}>Take back</Button>}
          </div>
        ) : (
          <p className={css.save}>You may read these settings, and not change them.</p>
        )}
      </form>
    </Panel>
  );
}
