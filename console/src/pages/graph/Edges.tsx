/** The same graph as a list: each stack with what it depends on and what depends on it. */
import { Link } from "@tanstack/react-router";
import { RefreshCw } from "lucide-react";
import type { GraphStack } from "../../data/graph.ts";
import { classes } from "../../ui/classes.ts";
import rows from "../../ui/rows.module.css";
import { StatusBadge } from "../../ui/StatusBadge.tsx";
import { WindowList } from "../../ui/WindowList.tsx";
import type { Neighbours } from "./chosen.ts";
import css from "./Edges.module.css";

type Props = { org: string; stacks: readonly GraphStack[]; neighbours: (id: string) => Neighbours };

const ROW_PX = 84;

export function Edges({ org, stacks, neighbours }: Props) {
  return (
    <WindowList
      label="Stacks and what they depend on"
      count={stacks.length}
      rowHeight={ROW_PX}
      rowKey={(index) => stacks[index]?.id ?? ""}
      row={(index) => {
        const stack = stacks[index];
        return stack && <Row org={org} stack={stack} {...neighbours(stack.id)} />;
      }}
    />
  );
}

type RowProps = { org: string; stack: GraphStack } & Neighbours;

function Row({ org, stack, dependencies, dependents }: RowProps) {
  const { id, name, latest_deployment_status, in_cycle } = stack;
  return (
    <div className={`${rows.row} ${css.row}`}>
      <span className={css.head}>
        <Link to="/orgs/$org/stacks/$stack" params={{ org, stack: id }} className={rows.link} data-row>
          {name}
        </Link>
        {in_cycle === true && (
          <span className={css.cycle}>
            <RefreshCw size={13} aria-hidden /> on a cycle
          </span>
        )}
        {latest_deployment_status && <StatusBadge status={latest_deployment_status} />}
      </span>
      <Stacks org={org} label="depends on" ids={dependencies} />
      <Stacks org={org} label="is needed by" ids={dependents} />
    </div>
  );
}

function Stacks({ org, label, ids }: { org: string; label: string; ids: readonly string[] }) {
  if (ids.length === 0) return null;
  return (
    <span className={rows.meta}>
      {label}
      {ids.map((id) => (
        <Link
          key={id}
          to="/orgs/$org/stacks/$stack"
          params={{ org, stack: id }}
          className={classes(rows.above, css.stack)}
        >
          {id}
        </Link>
      ))}
    </span>
  );
}
