import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { queueQuery } from "../../data/stacks.ts";
import { stateLockQuery } from "../../data/state.ts";
import type { Stack } from "../../data/types.ts";
import { ActorName } from "../../ui/ActorName.tsx";
import { Button } from "../../ui/Button.tsx";
import { Facts } from "../../ui/Facts.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import { Time } from "../../ui/Time.tsx";
import css from "./State.module.css";
import { UnlockDialog } from "./UnlockDialog.tsx";

/** Who is at work on the state, since when and what for. */
export function StateLock({ stack, mayWrite }: { stack: Stack; mayWrite: boolean }) {
  const { org_id: org, id } = stack;
  const { data: lock, error, refetch } = useQuery(stateLockQuery(org, id));
  const [asked, setAsked] = useState(false);
  // One of a run ends with the run: its engine may still save what it does.
  const isLeft = lock?.locked === true && lock.run_id === null;
  const unlock = mayWrite && isLeft && (
    <Button small kind="danger" onClick={() => setAsked(true)}>
      Force unlock
    </Button>
  );
  return (
    <Panel title="Lock" more={unlock}>
      {lock === undefined && (error ? <Failed error={error} onRetry={() => void refetch()} /> : <Loading lines={1} />)}
      {lock?.locked === false && (
        <p className={css.free}>Nobody has it. An engine takes it before it changes anything.</p>
      )}
      {lock?.locked && (
        <Facts
          facts={[
            ["Who", lock.who || "not said"],
            ["What for", lock.operation || "not said"],
            lock.locked_at !== null && ["Since", <Time key="at" at={lock.locked_at} />],
            lock.locked_by !== null && ["Signed in as", <ActorName key="by" actor={lock.locked_by} />],
            ["Engine", lock.engine_version || null],
            ["ID", <code key="id">{lock.id}</code>],
          ]}
        />
      )}
      {lock?.locked && lock.run_id !== null && <OfRun stack={stack} />}
      {asked && lock?.locked && <UnlockDialog stack={stack} lock={lock} onClose={() => setAsked(false)} />}
    </Panel>
  );
}

function OfRun({ stack: { org_id: org, id } }: { stack: Stack }) {
  const { data: queue } = useQuery(queueQuery(org, id));
  const holder = queue?.holder?.id;
  return (
    <div className={css.notice}>
      <Notice>
        A run has it, and it ends with the run. To end both, cancel{" "}
        {holder === undefined ? (
          "its deployment"
        ) : (
          <Link to="/orgs/$org/stacks/$stack/deployments/$id" params={{ org, stack: id, id: holder }}>
            its deployment
          </Link>
        )}
        : then the engine can still save what it did.
      </Notice>
    </div>
  );
}
