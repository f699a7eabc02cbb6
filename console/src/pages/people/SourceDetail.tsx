import { useQuery } from "@tanstack/react-query";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { sourceQuery, sourcesKey } from "../../data/signInSources.ts";
import type { IdentitySource } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Actions } from "../../ui/Actions.tsx";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { Facts } from "../../ui/Facts.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { ErrorText, Failed, Loading } from "../../ui/states.tsx";
import { Time } from "../../ui/Time.tsx";
import { AccessRules } from "./AccessRules.tsx";
import { Bindings } from "./Bindings.tsx";
import css from "./Page.module.css";
import { PROVIDERS } from "./providers.ts";
import { SourceDialog } from "./SourceDialog.tsx";
import { usePeople } from "./usePeople.ts";

export function SourceDetail({ id }: { id: string }) {
  const { org, may } = usePeople();
  const source = useQuery(sourceQuery(org, id));
  if (source.isError) return <Failed error={source.error} onRetry={() => void source.refetch()} />;
  if (source.data === undefined) return <Loading lines={6} what="Loading the source" />;
  return (
    <>
      <Source source={source.data} />
      {may("identity_source", "manage") && (
        <>
          <AccessRules source={source.data} />
          <Bindings source={source.data} />
        </>
      )}
    </>
  );
}

function Source({ source }: { source: IdentitySource }) {
  const { org, search, set, may, show } = usePeople();
  const { id, display_name, provider_key, oidc_issuer, enabled } = source;
  const path = { org_id: org, source_id: id };
  const close = () => show(undefined);
  const test = useWrite<unknown>((_, headers) =>
    answerOf(api.POST("/api/v1/orgs/{org_id}/identity-sources/{source_id}/test", { params: { path }, headers })),
  );
  const remove = useWrite<unknown>(
    (_, headers) =>
      answerOf(api.DELETE("/api/v1/orgs/{org_id}/identity-sources/{source_id}", { params: { path }, headers })),
    {
      changes: [sourcesKey(org)],
      onDone: () => {
        toast(`${display_name} is deleted`);
        set({ id: undefined, dialog: undefined });
      },
    },
  );
  const mayManage = may("identity_source", "manage");
  return (
    <Panel
      title={display_name}
      more={
        mayManage && (
          <Actions>
            <Button small busy={test.isPending} onClick={() => test.mutate()}>
              Test
            </Button>
            <Button small onClick={() => show("edit")}>
              Settings
            </Button>
            <Button small onClick={() => show("delete")}>
              Delete
            </Button>
          </Actions>
        )
      }
    >
      {(test.isSuccess || test.isError) && (
        <div className={css.pad}>
          <Notice tone={test.isError ? "bad" : "info"} alert>
            {test.error ? <ErrorText error={test.error} /> : "It answers as it should."}
          </Notice>
        </div>
      )}
      <Facts
        facts={[
          ["Signs in at", PROVIDERS[provider_key] ?? provider_key],
          ["State", enabled ? "enabled" : "disabled: it lets nobody in and confers nothing"],
          oidc_issuer !== null && ["Issuer", <code key="issuer">{oidc_issuer}</code>],
          source.oidc_client_id !== null && ["Client id", <code key="client">{source.oidc_client_id}</code>],
          oidc_issuer !== null && ["Client secret", source.has_client_secret ? "stored" : "none"],
          source.oidc_groups_claim !== null && [
            "Claim with groups",
            <code key="claim">{source.oidc_groups_claim}</code>,
          ],
          source.groups_scope !== null && ["Scope for groups", <code key="scope">{source.groups_scope}</code>],
          ["Changed", <Time key="changed" at={source.updated_at} />],
        ]}
      />
      {search.dialog === "edit" && mayManage && <SourceDialog org={org} source={source} onClose={close} />}
      {search.dialog === "delete" && mayManage && (
        <ConfirmDialog
          title={`Delete ${display_name}`}
          action="Delete the source"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={close}
          phrase={source.source_slug}
        >
          What its groups confer ends at once, and nobody is let in by its rules.
        </ConfirmDialog>
      )}
    </Panel>
  );
}
