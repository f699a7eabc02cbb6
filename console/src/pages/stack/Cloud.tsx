import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { cloudIntegrationsQuery, cloudKey, cloudProvidersQuery } from "../../data/cloud.ts";
import { useMay } from "../../data/permissions.ts";
import type { Stack } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { Panel } from "../../ui/Panel.tsx";
import rows from "../../ui/rows.module.css";
import { SplitRow } from "../../ui/SplitRow.tsx";
import { Empty } from "../../ui/states.tsx";
import { CloudDialog } from "./CloudDialog.tsx";
import { CLOUDS, type CloudProvider, cloudText, isKnown, isShown, type ShownProvider, TITLES } from "./cloudDraft.ts";

/** What runs of the stack act as in clouds. Nothing is stored that opens one. */
export function Cloud({ stack }: { stack: Stack }) {
  const { org_id: org, id, name } = stack;
  const may = useMay(org);
  const list = useQuery(cloudIntegrationsQuery(org, id));
  const providers = useQuery(cloudProvidersQuery());
  const [edited, setEdited] = useState<CloudProvider | null>(null);
  const [leaving, setLeaving] = useState<ShownProvider | null>(null);
  const remove = useWrite<unknown, ShownProvider>(
    (provider_type, headers) =>
      answerOf(
        api.DELETE("/api/v1/orgs/{org_id}/stacks/{stack_id}/cloud-integrations/{provider_type}", {
          params: { path: { org_id: org, stack_id: id, provider_type } },
          headers,
        }),
      ),
    {
      changes: [cloudKey(org, id)],
      onDone: () => {
        toast("Runs get no credentials of it any more");
        setLeaving(null);
      },
    },
  );
  // Who may not read them sees no panel, as if there were none.
  if (list.data === undefined) return null;
  const there = list.data.flatMap(({ provider_type, config }) =>
    isShown(provider_type) ? [{ provider_type, config }] : [],
  );
  const mayUpdate = (provider: CloudProvider) =>
    may("cloud_integration", "update", `${name}:${provider}`, stack.authz_groups);
  const mayDelete = (provider: ShownProvider) =>
    may("cloud_integration", "delete", `${name}:${provider}`, stack.authz_groups);
  const others = (providers.data ?? [])
    .map(({ provider_type }) => provider_type)
    .filter(isKnown)
    .filter((provider) => there.every(({ provider_type }) => provider_type !== provider) && mayUpdate(provider));
  return (
    <Panel
      title="Clouds"
      more={others.map((provider) => (
        <Button key={provider} small onClick={() => setEdited(provider)}>
          Connect {CLOUDS[provider]}
        </Button>
      ))}
    >
      {there.length === 0 && (
        <Empty title="No cloud">Runs get no cloud credentials from the service; a runner may have its own.</Empty>
      )}
      <ul className={rows.rows} aria-label="Clouds">
        {there.map((integration) => (
          <SplitRow
            key={integration.provider_type}
            title={TITLES[integration.provider_type]}
            meta={<code>{cloudText(integration)}</code>}
            end={
              <>
                <Change provider={integration.provider_type} may={mayUpdate} onChange={setEdited} />
                {mayDelete(integration.provider_type) && (
                  <Button small onClick={() => setLeaving(integration.provider_type)}>
                    Delete<span className="sr-only"> {TITLES[integration.provider_type]}</span>
                  </Button>
                )}
              </>
            }
          />
        ))}
      </ul>
      {edited && (
        <CloudDialog
          stack={stack}
          provider={edited}
          integration={there.find(({ provider_type }) => provider_type === edited)}
          onClose={() => setEdited(null)}
        />
      )}
      {leaving && (
        <ConfirmDialog
          title={`Delete ${TITLES[leaving]} of ${name}`}
          action="Delete the integration"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(leaving)}
          onClose={() => setLeaving(null)}
        >
          Runs that begin from now on get no credentials of it. Those that were accepted keep what they got.
        </ConfirmDialog>
      )}
    </Panel>
  );
}

/** What is declared by the API alone has no form here. */
function Change(props: {
  provider: ShownProvider;
  may: (provider: CloudProvider) => boolean;
  onChange: (provider: CloudProvider) => void;
}) {
  const { provider, may, onChange } = props;
  if (!isKnown(provider) || !may(provider)) return null;
  return (
    <Button small onClick={() => onChange(provider)}>
      Change<span className="sr-only"> {CLOUDS[provider]}</span>
    </Button>
  );
}
