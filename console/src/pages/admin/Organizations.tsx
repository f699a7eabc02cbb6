import { useInfiniteQuery } from "@tanstack/react-query";
import { Plus, RefreshCw } from "lucide-react";
import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { allOrgsQuery } from "../../data/admin.ts";
import { api } from "../../data/api.ts";
import { keys } from "../../data/keys.ts";
import type { Organization } from "../../data/types.ts";
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
import { Time } from "../../ui/Time.tsx";
import { useAdmin } from "./useAdmin.ts";

/** All organizations with their limits, which are changed in their settings. */
export function Organizations() {
  const { search, set } = useAdmin();
  const list = useInfiniteQuery(allOrgsQuery());
  const [rebuilt, setRebuilt] = useState<Organization | null>(null);
  const rebuild = useWrite(
    (org_id: string, headers) =>
      answerOf(api.POST("/api/operator/v1/orgs/{org_id}/rebuild-metadata", { params: { path: { org_id } }, headers })),
    {
      onDone: () => {
        toast("It is computed anew");
        setRebuilt(null);
      },
    },
  );
  const add = (
    <Button small kind="primary" icon={<Plus size={14} aria-hidden />} onClick={() => set({ dialog: "new" })}>
      New organization
    </Button>
  );
  return (
    <Panel title="Organizations" more={add}>
      <PagedList
        label="Organizations"
        list={list}
        empty={<Empty title="No organization" />}
        row={(organization) => (
          <SplitRow
            key={organization.id}
            title={organization.name}
            link={{ to: "/orgs/$org/settings", params: { org: organization.id } }}
            meta={
              <>
                {organization.is_personal && <span>personal</span>}
                {organization.login_handle && <code>{organization.login_handle}</code>}
                <span>{organization.max_users.toLocaleString()} members at most</span>
                <span>{organization.runs_per_hour_limit.toLocaleString()} runs per hour</span>
                <span>
                  made <Time at={organization.created_at} />
                </span>
              </>
            }
            end={
              <Button
                small
                icon={<RefreshCw size={14} aria-hidden />}
                onClick={() => setRebuilt(organization)}
                aria-label={`Compute anew what is derived of ${organization.name}`}
              >
                Compute anew
              </Button>
            }
          />
        )}
      />
      {search.dialog === "new" && <NewOrg onClose={() => set({ dialog: undefined })} />}
      {rebuilt && (
        <ConfirmDialog
          title={`Compute ${rebuilt.name} anew`}
          action="Compute anew"
          busy={rebuild.isPending}
          error={rebuild.error}
          onConfirm={() => rebuild.mutate(rebuilt.id)}
          onClose={() => setRebuilt(null)}
        >
          Its graph of dependencies, its index of resources and its findings are computed from the start, each in the
          background. They stay readable meanwhile.
        </ConfirmDialog>
      )}
    </Panel>
  );
}

function NewOrg({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const create = useWrite(
    (text: string, headers) => answerOf(api.POST("/api/v1/orgs", { body: { name: text }, headers })),
    {
      changes: [keys.orgs],
      onDone: (made) => {
        toast(`${made.name} is made, and you are its Admin`);
        onClose();
      },
    },
  );
  return (
    <FormDialog
      title="New organization"
      submit="Make the organization"
      busy={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate(name.trim())}
      onClose={onClose}
    >
      <Field label="Name" error={fieldErrors(create.error).get("name")}>
        <input value={name} required maxLength={100} onChange={(event) => setName(event.target.value)} />
      </Field>
    </FormDialog>
  );
}
