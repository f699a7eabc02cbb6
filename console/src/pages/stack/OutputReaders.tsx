import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { api } from "../../data/api.ts";
import { outputReadersQuery, readersKey } from "../../data/outputs.ts";
import type { OutputReader, Stack } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { toast } from "../../shell/announce.tsx";
import { Button } from "../../ui/Button.tsx";
import { ConfirmDialog } from "../../ui/ConfirmDialog.tsx";
import { Panel } from "../../ui/Panel.tsx";
import rows from "../../ui/rows.module.css";
import { SplitRow } from "../../ui/SplitRow.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { Time } from "../../ui/Time.tsx";
import { OutputReaderDialog } from "./OutputReaderDialog.tsx";

type Props = { stack: Stack; mayUpdate: boolean; mayGive: boolean };

/** Which stacks are given the outputs of this one. */
export function OutputReaders({ stack, mayUpdate, mayGive }: Props) {
  const { org_id: org, id, name } = stack;
  const { data, error, refetch } = useQuery(outputReadersQuery(org, id));
  const [edited, setEdited] = useState<OutputReader | "new" | null>(null);
  const [leaving, setLeaving] = useState<string | null>(null);
  const remove = useWrite<unknown, string>(
    (reader, headers) =>
      answerOf(
        api.DELETE("/api/v1/orgs/{org_id}/stacks/{stack_id}/output-readers/{dependent_stack_id}", {
          params: { path: { org_id: org, stack_id: id, dependent_stack_id: reader } },
          headers,
        }),
      ),
    {
      changes: [readersKey(org, id)],
      onDone: (_, reader) => {
        toast(`${reader} is given no outputs any more`);
        setLeaving(null);
      },
    },
  );
  if (error && data === undefined) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  const give = (
    <Button small onClick={() => setEdited("new")}>
      Give to a stack
    </Button>
  );
  return (
    <Panel title="Given to" count={data.items.length} more={mayGive && give}>
      {data.items.length === 0 && (
        <Empty title="No stack is given them">A stack that names one in its files has to be let first.</Empty>
      )}
      <ul className={rows.rows} aria-label="Given to">
        {data.items.map((reader) => (
          <SplitRow
            key={reader.stack_id}
            link={{ to: "/orgs/$org/stacks/$stack", params: { org, stack: reader.stack_id } }}
            title={reader.stack_id}
            meta={
              <>
                <span>{reader.sensitive ? "also what is sensitive" : "nothing that is sensitive"}</span>
                <span>
                  since <Time at={reader.created_at} />
                </span>
              </>
            }
            end={
              mayUpdate && (
                <>
                  <Button small onClick={() => setEdited(reader)}>
                    Change<span className="sr-only"> {reader.stack_id}</span>
                  </Button>
                  <Button small onClick={() => setLeaving(reader.stack_id)}>
                    Stop<span className="sr-only"> giving to {reader.stack_id}</span>
                  </Button>
                </>
              )
            }
          />
        ))}
      </ul>
      {edited && (
        <OutputReaderDialog
          stack={stack}
          reader={edited === "new" ? null : edited}
          mayUpdate={mayUpdate}
          onClose={() => setEdited(null)}
        />
      )}
      {leaving && (
        <ConfirmDialog
          title={`Give ${leaving} no outputs of ${name}`}
          action="Stop giving"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(leaving)}
          onClose={() => setLeaving(null)}
        >
          Its next plan fails where it asks for one. Plans that were made are applied with what they got.
        </ConfirmDialog>
      )}
    </Panel>
  );
}
