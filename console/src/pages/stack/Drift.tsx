import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { driftKey, driftQuery } from "../../data/drift.ts";
import { useMay } from "../../data/permissions.ts";
import { stackQuery } from "../../data/stacks.ts";
import type { Stack, StackDrift } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Button } from "../../ui/Button.tsx";
import { DriftBadge } from "../../ui/DriftBadge.tsx";
import { putOffText } from "../../ui/driftText.ts";
import { Facts } from "../../ui/Facts.tsx";
import { FormError } from "../../ui/FormError.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { Table } from "../../ui/Table.tsx";
import { Time } from "../../ui/Time.tsx";

const route = getRouteApi("/orgs/$org/stacks/$stack/drift");

/** Whether what runs still is what was applied, since when, and what is another thing now. */
export default function Drift() {
  const { org, stack: id } = route.useParams();
  const { data: stack } = useQuery(stackQuery(org, id));
  const { data: drift, error, refetch } = useQuery(driftQuery(org, id));
  if (stack === undefined) return null;
  if (error && drift === undefined) return <Failed error={error} onRetry={() => void refetch()} />;
  if (drift === undefined) return <Loading lines={6} />;
  return (
    <>
      <State stack={stack} drift={drift} />
      <Resources drift={drift} />
    </>
  );
}

function State({ stack, drift }: { stack: Stack; drift: StackDrift }) {
  const { org_id: org, id } = stack;
  const { status, since, checked_at, next_check_at, put_off, error, running_deployment_id: running } = drift;
  const mayAsk = useMay(org)("stack", "deploy", stack.name, stack.authz_groups);
  const check = useWrite<unknown>(
    (_, headers) =>
      answerOf(
        api.POST("/api/v1/orgs/{org_id}/stacks/{stack_id}/drift/check", {
          params: { path: { org_id: org, stack_id: id } },
          headers,
        }),
      ),
    { changes: [driftKey(org, id)], onDone: () => toast("A check was asked for") },
  );
  const ask = (
    <Button small busy={check.isPending} disabled={running !== null} onClick={() => check.mutate()}>
      Check now
    </Button>
  );
  const deployment = (name: string, to: string) => (
    <Link to="/orgs/$org/stacks/$stack/deployments/$id" params={{ org, stack: id, id: to }}>
      {name}
    </Link>
  );
  return (
    <Panel title="Drift" more={mayAsk && ask}>
      <FormError error={check.error} />
      {put_off !== null && (
        <Notice>
          The check that was due has not begun: {putOffText(put_off)}.
          {next_check_at !== null && (
            <>
              {" "}
              It is tried again <Time at={next_check_at} />.
            </>
          )}
        </Notice>
      )}
      <Facts
        facts={[
          ["Status", <DriftBadge key="status" status={status} />],
          since !== null && status !== "unknown" && ["Since", <Time key="since" at={since} />],
          error !== null && ["Why", error],
          checked_at !== null && [
            "Last look",
            <span key="last">
              <Time at={checked_at} />
              {drift.checked_deployment_id !== null && <>, {deployment("its log", drift.checked_deployment_id)}</>}
            </span>,
          ],
          running !== null && ["Under way", deployment("a check", running)],
          next_check_at !== null && running === null && ["Next look", <Time key="next" at={next_check_at} />],
          ["Checked", checkedBy(drift)],
          drift.reconcile_deployment_id !== null && [
            "Undone by",
            deployment("a deployment", drift.reconcile_deployment_id),
          ],
        ]}
      />
    </Panel>
  );
}

/** `every P1D, by the schedule production`. */
function checkedBy({ effective, schedule }: StackDrift): string {
  if (effective === null) return "only when somebody asks";
  const { interval, cron, time_zone } = effective;
  const when = interval === null ? `${cron} (${time_zone})` : `every ${interval}`;
  return schedule === null ? `${when}, by the stack's own policy` : `${when}, by the schedule ${schedule.name}`;
}

function Resources({ drift: { status, resources, total, ignored } }: { drift: StackDrift }) {
  if (status === "unknown") return null;
  return (
    <Panel title="Resources" count={total}>
      {resources.length === 0 && (
        <Empty title="Nothing is another thing than what was applied">
          {ignored > 0 && `${ignored} that have changed are ignored.`}
        </Empty>
      )}
      {resources.length > 0 && (
        <Table
          label="Drifted resources"
          rows={resources}
          rowKey={({ address }) => address}
          columns={[
            { head: "Address", wide: true, cell: ({ address }) => <code>{address}</code> },
            { head: "What happened", cell: ({ action }) => action },
          ]}
        />
      )}
      {total > resources.length && resources.length > 0 && <p>The first {resources.length} of them.</p>}
    </Panel>
  );
}
