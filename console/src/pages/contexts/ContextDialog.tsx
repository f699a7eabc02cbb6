import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { contextsKey } from "../../data/contexts.ts";
import type { Context } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";
import { labelLines, readLabels } from "../../ui/labelText.ts";
import { VariableLines } from "./VariableLines.tsx";
import { type Body, type Line, linesOf, variablesOf } from "./variables.ts";

type Props = {
  org: string;
  /** Null for a new one. */
  context: Context | null;
  onClose: () => void;
  onMade?: (id: string) => void;
};

const EMPTY: Line = { name: "", value: "", secret: false, isStored: false };

export function ContextDialog({ org, context, onClose, onMade }: Props) {
  const [name, setName] = useState(context?.name ?? "");
  const [selector, setSelector] = useState(labelLines(context?.selector ?? {}));
  const [lines, setLines] = useState<readonly Line[]>(context === null ? [EMPTY] : linesOf(context));
  const save = useWrite(
    (body: Body, headers) =>
      context === null
        ? answerOf(api.POST("/api/v1/orgs/{org_id}/contexts", { params: { path: { org_id: org } }, body, headers }))
        : answerOf(
            api.PUT("/api/v1/orgs/{org_id}/contexts/{context_id}", {
              params: { path: { org_id: org, context_id: context.id } },
              body,
              headers,
            }),
          ),
    {
      changes: [contextsKey(org)],
      onDone: ({ id }) => {
        toast(context === null ? "The context is made" : "Saved: runs that begin from now on get it");
        onClose();
        onMade?.(id);
      },
    },
  );
  const wrong = fieldErrors(save.error);
  return (
    <FormDialog
      title={context === null ? "New context" : `Context ${context.name}`}
      submit={context === null ? "Make the context" : "Save"}
      busy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate({ name: name.trim(), selector: readLabels(selector), variables: variablesOf(lines) })}
      onClose={onClose}
      wide
    >
      <Field label="Name" error={wrong.get("name")}>
        <input value={name} required maxLength={100} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field
        label="Labels that a stack must have"
        hint="One key=value on a line. Empty for every stack."
        error={wrong.get("selector")}
      >
        <textarea value={selector} rows={2} spellCheck={false} onChange={(event) => setSelector(event.target.value)} />
      </Field>
      <VariableLines lines={lines} onChange={setLines} empty={EMPTY} error={wrong.get("variables")} />
    </FormDialog>
  );
}
