import { useInfiniteQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { bindingsQuery, sourcesKey } from "../../data/signInSources.ts";
import type { GroupRoleBinding, IdentitySource } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { fieldErrors } from "../../ui/fieldErrors.ts";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { SplitRow } from "../../ui/SplitRow.tsx";
import { Empty } from "../../ui/states.tsx";
import { RolePicker } from "./RolePicker.tsx";
import { usePeople } from "./usePeople.ts";

/** What groups of a source confer. */
export function Bindings({ source }: { source: IdentitySource }) {
  const { org } = usePeople();
  const list = useInfiniteQuery(bindingsQuery(org, source.id));
  const [edited, setEdited] = useState<GroupRoleBinding | "new" | null>(null);
  const [leaving, setLeaving] = useState<GroupRoleBinding | null>(null);
  const remove = useWrite(
    (binding_id: string, headers) =>
      answerOf(
        api.DELETE("/api/v1/orgs/{org_id}/identity-sources/{source_id}/bindings/{binding_id}", {
          params: { path: { org_id: org, source_id: source.id, binding_id } },
          headers,
        }),
      ),
    {
      changes: [sourcesKey(org)],
      onDone: () => {
        setLeaving(null);
        toast("What the group conferred has ended");
      },
    },
  );
  const add = (
    <Button small icon={<Plus size={14} aria-hidden />} onClick={() => setEdited("new")}>
      New binding
    </Button>
  );
  return (
    <Panel title="What groups confer" more={add}>
      <PagedList
        label="Bindings"
        list={list}
        empty={<Empty title="No binding">Who signs in here has only the roles that people gave them.</Empty>}
        row={(binding) => (
          <SplitRow
            key={binding.id}
            title={binding.group_key}
            meta={<span>{binding.roles.map(({ name }) => name).join(", ")}</span>}
            end={
              <>
                <Button small onClick={() => setEdited(binding)} aria-label={`Change ${binding.group_key}`}>
                  Change
                </Button>
                <Button small onClick={() => setLeaving(binding)} aria-label={`Delete ${binding.group_key}`}>
                  Delete
                </Button>
              </>
            }
          />
        )}
      />
      {edited && (
        <BindingDialog
          org={org}
          source={source}
          binding={edited === "new" ? null : edited}
          onClose={() => setEdited(null)}
        />
      )}
      {leaving && (
        <ConfirmDialog
          title={`Delete what ${leaving.group_key} confers`}
          action="Delete the binding"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(leaving.id)}
          onClose={() => setLeaving(null)}
        >
          Its people lose these roles at once: {leaving.roles.map(({ name }) => name).join(", ")}.
        </ConfirmDialog>
      )}
    </Panel>
  );
}

type DialogProps = {
  org: string;
  source: IdentitySource;
  binding: GroupRoleBinding | null;
  onClose: () => void;
};

function BindingDialog({ org, source, binding, onClose }: DialogProps) {
  const [group, setGroup] = useState(binding?.group_key ?? "");
  const [roles, setRoles] = useState(binding?.roles.map(({ id }) => id) ?? []);
  const path = { org_id: org, source_id: source.id };
  const save = useWrite(
    (body: { group_key: string; role_ids: string[] }, headers) =>
      binding === null
        ? answerOf(
            api.POST("/api/v1/orgs/{org_id}/identity-sources/{source_id}/bindings", {
              params: { path },
              body,
              headers,
            }),
          )
        : answerOf(
            api.PUT("/api/v1/orgs/{org_id}/identity-sources/{source_id}/bindings/{binding_id}", {
              params: { path: { ...path, binding_id: binding.id } },
              body,
              headers,
            }),
          ),
    {
      changes: [sourcesKey(org)],
      onDone: () => {
        toast("Holds from each person's next sign-in");
        onClose();
      },
    },
  );
  const wrong = fieldErrors(save.error);
  return (
    <FormDialog
      title={binding === null ? "New binding" : `What ${binding.group_key} confers`}
      submit="Save"
      busy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate({ group_key: group.trim(), role_ids: roles })}
      onClose={onClose}
      disabled={roles.length === 0 || roles.length > 5}
    >
      <Field label="Group" hint="As the source names it in the token." error={wrong.get("group_key")}>
        <input value={group} required spellCheck={false} onChange={(event) => setGroup(event.target.value)} />
      </Field>
      <RolePicker
        org={org}
        chosen={roles}
        onChange={setRoles}
        error={wrong.get("role_ids") ?? (roles.length > 5 ? "Five at most." : undefined)}
      />
    </FormDialog>
  );
}
