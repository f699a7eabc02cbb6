import { useInfiniteQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { readersKey } from "../../data/outputs.ts";
import { stacksQuery } from "../../data/stacks.ts";
import type { OutputReader, Stack } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Check, Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";

type Props = {
  stack: Stack;
  /** Null: another one. */
  reader: OutputReader | null;
  /** Whether what is sensitive may be given. */
  mayUpdate: boolean;
  onClose: () => void;
};

type Given = { id: string; sensitive: boolean };

/** Lets a stack have the outputs of this one. */
export function OutputReaderDialog({ stack, reader, mayUpdate, onClose }: Props) {
  const { org_id: org, id, name } = stack;
  const [given, setGiven] = useState<Given>({ id: reader?.stack_id ?? "", sensitive: reader?.sensitive ?? false });
  const { data: others = [] } = useInfiniteQuery(stacksQuery(org, { sort: "name", order: "asc" }));
  const listId = useId();
  const write = useWrite<OutputReader, Given>(
    ({ id: dependent_stack_id, sensitive }, headers) =>
      answerOf(
        api.PUT("/api/v1/orgs/{org_id}/stacks/{stack_id}/output-readers/{dependent_stack_id}", {
          params: { path: { org_id: org, stack_id: id, dependent_stack_id } },
          headers,
          body: { sensitive },
        }),
      ),
    {
      changes: [readersKey(org, id)],
      onDone: ({ stack_id }) => {
        toast(`${stack_id} is given outputs of ${name}`);
        onClose();
      },
    },
  );
  return (
    <FormDialog
      title={`Give outputs of ${name}`}
      submit="Give"
      busy={write.isPending}
      error={write.error}
      onSubmit={() => write.mutate(given)}
      onClose={onClose}
    >
      <p>The other stack gets those that its files name, as variables of its engine.</p>
      <Field
        label="Stack"
        hint="Its id. You have to be allowed to update it."
        error={fieldErrors(write.error).get("dependent_stack_id")}
      >
        <input
          value={given.id}
          required
          readOnly={reader !== null}
          list={listId}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setGiven({ ...given, id: event.target.value.trim() })}
        />
      </Field>
      <datalist id={listId}>
        {others
          .filter((other) => other.id !== id)
          .map((other) => (
            <option key={other.id} value={other.id} />
          ))}
      </datalist>
      <Check
        label="Also what is sensitive"
        hint={mayUpdate ? "Never to code of a fork" : "Takes the permission to update this stack"}
        checked={given.sensitive}
        disabled={!mayUpdate}
        onChange={(sensitive) => setGiven({ ...given, sensitive })}
      />
    </FormDialog>
  );
}
