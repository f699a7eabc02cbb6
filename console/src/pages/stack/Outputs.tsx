import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { outputsQuery } from "../../data/outputs.ts";
import { permissionsQuery, useMay } from "../../data/permissions.ts";
import { stackQuery } from "../../data/stacks.ts";
import type { Stack, StackOutputs } from "../../data/types.ts";
import { Notice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Empty, Failed, Forbidden, Loading } from "../../ui/states.tsx";
import { Table } from "../../ui/Table.tsx";
import { Time } from "../../ui/Time.tsx";
import { OutputReaders } from "./OutputReaders.tsx";
import { OutputValue } from "./OutputValue.tsx";

const route = getRouteApi("/orgs/$org/stacks/$stack/outputs");

/** What a stack left as outputs, and the stacks that are given them. */
export default function Outputs() {
  const { org, stack: id } = route.useParams();
  const { data: stack } = useQuery(stackQuery(org, id));
  const { data: permissions, error, refetch } = useQuery(permissionsQuery(org));
  const may = useMay(org);
  if (stack === undefined) return null;
  if (permissions === undefined) {
    return error ? <Failed error={error} onRetry={() => void refetch()} /> : <Loading lines={6} />;
  }
  const mayDo = (action: string) => may("stack", action, stack.name, stack.authz_groups);
  if (!mayDo("read_outputs")) {
    return (
      <Panel title="Outputs">
        <Forbidden>
          Outputs may hold what not everybody should know, so reading them is a permission of its own. Whoever
          administers the organization can give you a role with it.
        </Forbidden>
      </Panel>
    );
  }
  return (
    <>
      <Values stack={stack} mayReveal={mayDo("read_state")} />
      <OutputReaders stack={stack} mayUpdate={mayDo("update")} mayGive={may("stack", "update", null)} />
    </>
  );
}

function Values({ stack, mayReveal }: { stack: Stack; mayReveal: boolean }) {
  const { org_id: org, id } = stack;
  const { data, error, refetch } = useQuery(outputsQuery(org, id));
  if (error && data === undefined) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading lines={6} />;
  return (
    <Panel title="Outputs" count={data.items.length} more={<Source outputs={data} org={org} stack={id} />}>
      {data.waits_for.map(({ stack_id, since }) => (
        <Notice key={`${stack_id} ${since}`} tone="warn">
          Its newest plan lacked an output of {stack_id ?? "a stack that you may not see"}, since <Time at={since} />.
          The next apply there deploys this stack.
        </Notice>
      ))}
      {data.items.length === 0 && <None outputs={data} />}
      {data.items.length > 0 && (
        <Table
          label="Outputs"
          rows={data.items}
          rowKey={({ name }) => name}
          columns={[
            { head: "Name", cell: ({ name }) => <code>{name}</code> },
            {
              head: "Value",
              wide: true,
              cell: (output) => <OutputValue key={data.run_id} {...{ org, stack: id, output, mayReveal }} />,
            },
          ]}
        />
      )}
    </Panel>
  );
}

function Source({ outputs, org, stack }: { outputs: StackOutputs; org: string; stack: string }) {
  const { deployment_id: deployment, as_of } = outputs;
  if (deployment === null || as_of === null) return null;
  return (
    <Link to="/orgs/$org/stacks/$stack/deployments/$id" params={{ org, stack, id: deployment }}>
      as of <Time at={as_of} />
    </Link>
  );
}

function None({ outputs: { run_id, known } }: { outputs: StackOutputs }) {
  if (run_id === null) return <Empty title="Not applied yet">Its first apply leaves them here.</Empty>;
  if (known) return <Empty title="No outputs">Its root module declares none.</Empty>;
  return <Empty title="Not known">Its newest apply has told none. The next deployment tells them.</Empty>;
}
