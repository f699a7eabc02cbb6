import { useQuery } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { ApiError } from "../../../../clients/api/problem.ts";
import { variablesQuery } from "../../data/stacks.ts";
import { Panel } from "../../ui/Panel.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { Table } from "../../ui/Table.tsx";

/** The environment that runs get, and which context each of it comes from. */
export function Variables({ org, stack }: { org: string; stack: string }) {
  const { data, error } = useQuery(variablesQuery(org, stack));
  // Who may not read contexts does without.
  if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return null;
  return (
    <Panel title="Variables of its runs" {...(data && { count: data.items.length })}>
      {error && <Failed error={error} />}
      {!error && data === undefined && <Loading />}
      {data?.items.length === 0 && <Empty title="No context applies to it" />}
      {data !== undefined && data.items.length > 0 && (
        <Table
          label="Variables"
          rows={data.items}
          rowKey={({ name }) => name}
          columns={[
            { head: "Name", cell: ({ name }) => <code>{name}</code> },
            {
              head: "Value",
              wide: true,
              cell: ({ secret, value }) =>
                secret ? (
                  <span>
                    <KeyRound size={13} aria-hidden /> secret
                  </span>
                ) : (
                  <code>{value}</code>
                ),
            },
            { head: "From", cell: ({ context }) => context.name },
            { head: "Instead of", cell: ({ overridden }) => overridden.join(", ") },
          ]}
        />
      )}
    </Panel>
  );
}
