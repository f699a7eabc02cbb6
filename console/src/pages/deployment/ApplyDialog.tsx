/** The last look before an apply: what goes, what is replaced, and what the plan alone does not say. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { changesQuery } from "../../plan/changesQuery.ts";
import { viewOf } from "../../plan/filter.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { ErrorText } from "../../ui/states.tsx";
import css from "./ApplyDialog.module.css";
import type { DialogProps } from "./dialogProps.ts";
import { PlanTally } from "./PlanTally.tsx";
import { isConfirmable } from "./planOnScreen.ts";
import { planStages, waitingPlanRun } from "./planState.ts";
import { isPlanChanged } from "./useDecisions.ts";
import { WhoPlanned } from "./WhoPlanned.tsx";

const NAMED = 12;

export function ApplyDialog({ place, deployment, screen, writes: { apply }, onClose }: DialogProps) {
  const client = useQueryClient();
  const button = useRef<HTMLButtonElement>(null);
  const runId = screen.shown ?? "";
  const summary = planStages(deployment).find(({ run }) => run.id === runId)?.run.plan_summary ?? null;
  const changes = useQuery({ ...changesQuery(client, place, runId), enabled: runId !== "" }).data;
  const rows = changes?.rows.filter((row) => viewOf(row) === "destroy" || viewOf(row) === "replace") ?? [];
  const dangerous = summary === null || summary.counts === null || summary.counts.destroy + summary.counts.replace > 0;
  const { warnings = [], gaps = [] } = summary ?? {};
  const careful = dangerous || warnings.length > 0 || gaps.length > 0;
  const changed = isPlanChanged(apply.error) || !isConfirmable(screen, waitingPlanRun(deployment));
  useEffect(() => {
    // Where nothing is lost, Enter is enough.
    if (!careful) button.current?.focus();
  }, [careful]);
  return (
    <Dialog
      title={changed ? "This is not the plan any more" : "Apply this plan?"}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Back</Button>
          {changed ? (
            <Button
              kind="primary"
              disabled={screen.newer === null}
              onClick={() => {
                screen.showNewer();
                onClose();
              }}
            >
              Look at the newer plan
            </Button>
          ) : (
            <Button
              ref={button}
              kind={dangerous ? "danger" : "primary"}
              busy={apply.isPending}
              onClick={() => apply.mutate(runId)}
              data-yes
            >
              {dangerous ? "Apply all the same" : "Apply"}
            </Button>
          )}
        </>
      }
    >
      {changed ? (
        <Notice tone="warn" alert>
          <WhoPlanned place={place} deployment={deployment} /> Nothing was applied.
        </Notice>
      ) : (
        <>
          <p className={css.tally}>
            <PlanTally summary={summary} />
          </p>
          {warnings.map((warning) => (
            <Notice key={warning} tone="warn">
              {warning}
            </Notice>
          ))}
          {gaps.length > 0 && (
            <Notice tone="warn">
              Not counted: {gaps.slice(0, 5).join("; ")}
              {gaps.length > 5 && `; and ${gaps.length - 5} more`}
            </Notice>
          )}
          {rows.length > 0 && (
            <ul className={css.rows}>
              {rows.slice(0, NAMED).map((row) => (
                <li key={row.index} data-action={row.action}>
                  <b>{row.action}</b> <code>{row.address}</code>
                </li>
              ))}
              {rows.length > NAMED && <li>and {rows.length - NAMED} more</li>}
            </ul>
          )}
          {deployment.provenance !== "branch" && (
            <Notice tone="warn">Its commit is not on the branch {deployment.branch}, as far as is known.</Notice>
          )}
        </>
      )}
      {apply.error && !isPlanChanged(apply.error) && (
        <Notice tone="bad" alert>
          <ErrorText error={apply.error} />
        </Notice>
      )}
    </Dialog>
  );
}
