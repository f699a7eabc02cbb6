import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { runnerGroupsKey } from "../../data/runners.ts";
import type { KeyedRunnerGroup, RunnerGroup } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";
import { labelLines, readLabels } from "../../ui/labelText.ts";

type Body = { name: string; labels: Record<string, string>; max_concurrent_runs: number };
type Props = {
  org: string;
  /** Null for a new one. */
  group: RunnerGroup | null;
  onMade?: (keyed: KeyedRunnerGroup) => void;
  onClose: () => void;
};

export function GroupDialog({ org, group, onMade, onClose }: Props) {
  const [name, setName] = useState(group?.name ?? "");
  const [most, setMost] = useState(String(group?.max_concurrent_runs ?? 1));
  const [labels, setLabels] = useState(labelLines(group?.labels ?? {}));
  const save = useWrite<KeyedRunnerGroup | RunnerGroup, Body>(
    (body, headers) =>
      group === null
        ? answerOf(
            api.POST("/api/v1/orgs/{org_id}/runner-groups", { params: { path: { org_id: org } }, body, headers }),
          )
        : answerOf(
            api.PUT("/api/v1/orgs/{org_id}/runner-groups/{group_id}", {
              params: { path: { org_id: org, group_id: group.id } },
              body,
              headers,
            }),
          ),
    {
      changes: [runnerGroupsKey(org)],
      onDone: (answer) => {
        toast(group === null ? "The group is made" : "Saved");
        onClose();
        if ("private_key" in answer) onMade?.(answer);
      },
    },
  );
  const wrong = fieldErrors(save.error);
  return (
    <FormDialog
      title={group === null ? "New runner group" : `Settings of ${group.name}`}
      submit={group === null ? "Make the group" : "Save"}
      busy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate({ name: name.trim(), labels: readLabels(labels), max_concurrent_runs: Number(most) })}
      onClose={onClose}
    >
      <Field label="Name" error={wrong.get("name")}>
        <input value={name} required maxLength={100} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label="Runs at once" error={wrong.get("max_concurrent_runs")}>
        <input
          type="number"
          min={1}
          max={10_000}
          required
          value={most}
          onChange={(event) => setMost(event.target.value)}
        />
      </Field>
      <Field
        label="Labels"
        hint="One key=value on a line. A stack whose labels ask for a runner group is run by one that has them."
        error={wrong.get("labels")}
      >
        <textarea value={labels} spellCheck={false} onChange={(event) => setLabels(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
