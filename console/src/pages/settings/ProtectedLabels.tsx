import { useQuery } from "@tanstack/react-query";
import { ShieldCheck } from "lucide-react";
import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { useMay } from "../../data/permissions.ts";
import { protectedLabelsKey, protectedLabelsQuery } from "../../data/protectedLabels.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Button } from "../../ui/Button.tsx";
import { Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";
import { Panel } from "../../ui/Panel.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import css from "./Page.module.css";

type Props = { org: string; dialog: string | undefined; onDialog: (name: string | undefined) => void };

/** Keys of labels that not everybody who may change a stack may set: they choose runners and secrets. */
export function ProtectedLabels({ org, dialog, onDialog }: Props) {
  const may = useMay(org);
  const labels = useQuery(protectedLabelsQuery(org));
  const mayChange = may("label", "create");
  const change = (
    <Button small icon={<ShieldCheck size={14} aria-hidden />} onClick={() => onDialog("labels")}>
      Change the keys
    </Button>
  );
  return (
    <Panel title="Protected labels" more={mayChange && labels.data && change}>
      {labels.isPending && <Loading lines={1} />}
      {labels.isError && <Failed error={labels.error} onRetry={() => void labels.refetch()} />}
      {labels.data?.keys.length === 0 && (
        <Empty title="No key is protected">Whoever may change a stack may set any label on it.</Empty>
      )}
      {labels.data !== undefined && labels.data.keys.length > 0 && (
        <ul className={css.keys} aria-label="Protected keys">
          {labels.data.keys.map((key) => (
            <li key={key}>
              <code>{key}</code>
            </li>
          ))}
        </ul>
      )}
      <p className={css.note}>
        Only who may update the label may set, change or take away a protected key. What is set already stays.
      </p>
      {dialog === "labels" && mayChange && labels.data && (
        <KeysDialog org={org} keys={labels.data.keys} onClose={() => onDialog(undefined)} />
      )}
    </Panel>
  );
}

function KeysDialog({ org, keys, onClose }: { org: string; keys: readonly string[]; onClose: () => void }) {
  const [text, setText] = useState(keys.join("\n"));
  const save = useWrite(
    (wanted: string[], headers) =>
      answerOf(
        api.PUT("/api/v1/orgs/{org_id}/config/protected-labels", {
          params: { path: { org_id: org } },
          body: { keys: wanted },
          headers,
        }),
      ),
    {
      changes: [protectedLabelsKey(org)],
      onDone: () => {
        toast("Saved");
        onClose();
      },
    },
  );
  return (
    <FormDialog
      title="Protected labels"
      submit="Save"
      busy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate(text.split(/\s+/).filter((key) => key !== ""))}
      onClose={onClose}
    >
      <Field label="Keys" hint="One on a line." error={fieldErrors(save.error).get("keys")}>
        <textarea value={text} spellCheck={false} onChange={(event) => setText(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
