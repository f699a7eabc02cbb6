import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Download, History } from "lucide-react";
import { useState } from "react";
import { stateVersionUrl } from "../../data/state.ts";
import type { Stack, StateVersion } from "../../data/types.ts";
import { ActorName } from "../../ui/ActorName.tsx";
import { Badge } from "../../ui/Badge.tsx";
import { Button, buttonClass } from "../../ui/Button.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import rows from "../../ui/rows.module.css";
import { SplitRow } from "../../ui/SplitRow.tsx";
import { sizeText } from "../../ui/sizes.ts";
import { Empty } from "../../ui/states.tsx";
import { Time } from "../../ui/Time.tsx";
import { RollbackDialog } from "./RollbackDialog.tsx";
import css from "./State.module.css";
import { resourcesText } from "./stateFacts.ts";

type Props = {
  stack: Stack;
  list: UseInfiniteQueryResult<StateVersion[], Error>;
  mayWrite: boolean;
  /** The one that is compared now. */
  compared: string | undefined;
};

/** All that was stored, newest first. A row leads to what it changed. */
export function StateVersions({ stack, list, mayWrite, compared }: Props) {
  const [older, setOlder] = useState<StateVersion | null>(null);
  return (
    <Panel title="Versions">
      <PagedList
        label="Versions"
        list={list}
        row={(version) => (
          <VersionRow
            key={version.id}
            stack={stack}
            version={version}
            selected={version.id === compared}
            onRollback={mayWrite && !version.is_newest ? () => setOlder(version) : null}
          />
        )}
        empty={
          <Empty title="No version yet">
            The first apply of a configuration without a backend stores one, and so does a state that somebody pushes.
          </Empty>
        }
      />
      {older && (
        <RollbackDialog
          stack={stack}
          version={older}
          present={list.data?.find(({ is_newest }) => is_newest) ?? null}
          onClose={() => setOlder(null)}
        />
      )}
    </Panel>
  );
}

type RowProps = { stack: Stack; version: StateVersion; selected: boolean; onRollback: (() => void) | null };

function VersionRow({ stack: { org_id: org, id: stack }, version, selected, onRollback }: RowProps) {
  const { id, number, is_newest, serial, lineage, resources, size, engine_version, created_at } = version;
  const which = <span className="sr-only"> version {number}</span>;
  return (
    <SplitRow
      link={{ to: "/orgs/$org/stacks/$stack/state", params: { org, stack }, search: { to: id } }}
      selected={selected}
      title={
        <span className={css.title}>
          Version {number}
          {is_newest && <Badge tone="ok">Newest</Badge>}
        </span>
      }
      meta={
        <>
          <span>serial {serial}</span>
          <span>{resourcesText(resources)}</span>
          <span>{sizeText(size)}</span>
          <Origin org={org} stack={stack} version={version} />
          <Time at={created_at} />
          {engine_version && <span>engine {engine_version}</span>}
          <code title={lineage}>{lineage.slice(0, 8)}</code>
        </>
      }
      end={
        <>
          <a
            className={buttonClass("quiet", true)}
            href={stateVersionUrl(org, stack, id)}
            download={`${stack}-${number}.tfstate`}
          >
            <Download size={14} aria-hidden />
            Download{which}
          </a>
          {onRollback && (
            <Button small icon={<History size={14} aria-hidden />} onClick={onRollback}>
              Roll back{which}
            </Button>
          )}
        </>
      }
    />
  );
}

/** Who or what stored it. */
function Origin({ org, stack, version }: { org: string; stack: string; version: StateVersion }) {
  const { origin, deployment_id: id, restores, created_by } = version;
  if (origin === "run") {
    if (id === null) return <span>by a run</span>;
    return (
      <Link
        to="/orgs/$org/stacks/$stack/deployments/$id"
        params={{ org, stack, id }}
        className={rows.above}
        aria-label={`The deployment of version ${version.number}`}
      >
        by a deployment
      </Link>
    );
  }
  return (
    <span className={css.by}>
      {origin === "push" ? "pushed" : `rolled back to version ${restores}`} by <ActorName actor={created_by} />
    </span>
  );
}
