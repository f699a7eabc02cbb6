import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { schedulesKey } from "../../data/schedules.ts";
import type { Schedule, Stack } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";
import { labelLines, readLabels } from "../../ui/labelText.ts";

type Draft = {
  selector: string | null;
  name: string;
  mode: Schedule["mode"];
  script: string;
  cron: string;
  zone: string;
  at: string;
};

const MODES: readonly [Schedule["mode"], string][] = [
  ["plan", "Deploy the head of the branch"],
  ["refresh", "Refresh the state"],
  ["destroy", "Destroy everything"],
  ["raw", "Run a command"],
];

/** Where this browser is: what its person means by three o'clock. */
const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Has a deployment or a command come by itself on a stack. */
export function ScheduleDialog({ stack, onClose }: { stack: Stack; onClose: () => void }) {
  const { org_id: org, id } = stack;
  const [draft, setDraft] = useState<Draft>({
    ...{ selector: null, name: "", mode: "plan", script: "", cron: "0 3 * * 1-5", zone: HERE, at: "" },
  });
  const [isOnce, setOnce] = useState(false);
  const set = (some: Partial<Draft>) => setDraft((before) => ({ ...before, ...some }));
  const create = useWrite<Schedule, Draft>(
    ({ selector, name, mode, script, cron, zone, at }, headers) => {
      const body = {
        name,
        mode,
        ...(mode === "raw" && { script }),
        ...(isOnce ? { at: instantOf(at) } : { cron, time_zone: zone }),
      };
      return answerOf(
        selector === null
          ? api.POST("/api/v1/orgs/{org_id}/stacks/{stack_id}/schedules", {
              params: { path: { org_id: org, stack_id: id } },
              headers,
              body,
            })
          : api.POST("/api/v1/orgs/{org_id}/schedules", {
              params: { path: { org_id: org } },
              headers,
              body: { ...body, selector: readLabels(selector) },
            }),
      );
    },
    {
      changes: [schedulesKey(org, id)],
      onDone: ({ name }) => {
        toast(`${name} is scheduled`);
        onClose();
      },
    },
  );
  const errors = fieldErrors(create.error);
  return (
    <FormDialog
      title={`New schedule of ${stack.name}`}
      submit="Schedule"
      busy={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate(draft)}
      onClose={onClose}
    >
      <Field label="Name" error={errors.get("name")}>
        <input value={draft.name} required onChange={(event) => set({ name: event.target.value })} />
      </Field>
      <Field label="On">
        <select
          value={draft.selector === null ? "stack" : "labels"}
          onChange={(event) => set({ selector: event.target.value === "stack" ? null : labelLines(stack.labels) })}
        >
          <option value="stack">This stack</option>
          <option value="labels">Every stack with some labels</option>
        </select>
      </Field>
      {draft.selector !== null && (
        <Field
          label="Labels that a stack must have"
          hint="One key=value on a line. Empty for every stack."
          error={errors.get("selector")}
        >
          <textarea
            rows={2}
            spellCheck={false}
            value={draft.selector}
            onChange={(event) => set({ selector: event.target.value })}
          />
        </Field>
      )}
      <Field
        label="What"
        hint="A plan with changes waits for a person, or is applied, as the stack says."
        error={errors.get("mode")}
      >
        <select value={draft.mode} onChange={(event) => set({ mode: event.target.value as Schedule["mode"] })}>
          {MODES.map(([mode, words]) => (
            <option key={mode} value={mode}>
              {words}
            </option>
          ))}
        </select>
      </Field>
      {draft.mode === "raw" && (
        <Field label="Script" hint="Kept encrypted and shown to nobody" error={errors.get("script")}>
          <textarea
            rows={5}
            required
            spellCheck={false}
            value={draft.script}
            onChange={(event) => set({ script: event.target.value })}
          />
        </Field>
      )}
      <Field label="When">
        <select value={isOnce ? "once" : "cron"} onChange={(event) => setOnce(event.target.value === "once")}>
          <option value="cron">Again and again</option>
          <option value="once">Once</option>
        </select>
      </Field>
      {isOnce ? (
        <Field label="At" hint="By the clock of this browser" error={errors.get("at")}>
          <input
            type="datetime-local"
            required
            value={draft.at}
            onChange={(event) => set({ at: event.target.value })}
          />
        </Field>
      ) : (
        <>
          <Field label="Cron" hint="Minute, hour, day of month, month, day of week" error={errors.get("cron")}>
            <input
              value={draft.cron}
              required
              spellCheck={false}
              onChange={(event) => set({ cron: event.target.value })}
            />
          </Field>
          <Field label="Time zone" error={errors.get("time_zone")}>
            <input
              value={draft.zone}
              required
              spellCheck={false}
              onChange={(event) => set({ zone: event.target.value })}
            />
          </Field>
        </>
      )}
    </FormDialog>
  );
}

/** What cannot be read as a time goes as it is, for the service to refuse. */
function instantOf(local: string): string {
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? local : time.toISOString();
}
