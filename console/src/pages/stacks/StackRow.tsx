import { Link } from "@tanstack/react-router";
import { OctagonPause } from "lucide-react";
import type { Stack } from "../../data/types.ts";
import { classes } from "../../ui/classes.ts";
import { Labels } from "../../ui/Labels.tsx";
import rows from "../../ui/rows.module.css";
import { StatusBadge } from "../../ui/StatusBadge.tsx";
import { Time } from "../../ui/Time.tsx";
import css from "./StackRow.module.css";

export function StackRow({ stack }: { stack: Stack }) {
  const { id, org_id: org, name, repository_url, branch, working_directory, labels, held_at, hold_reason } = stack;
  return (
    <li className={classes(rows.row, css.row)}>
      <span className={css.main}>
        <Link to="/orgs/$org/stacks/$stack" params={{ org, stack: id }} className={rows.link} data-row>
          {name}
        </Link>
        <span className={rows.meta}>
          <span>
            {repository_url.replace(/^\w+:\/\//, "")} · {branch}
            {working_directory && ` · ${working_directory}`}
          </span>
          <Labels labels={labels} />
        </span>
        {held_at && (
          <span className={css.held}>
            <OctagonPause size={14} aria-hidden />
            On hold{hold_reason && `: ${hold_reason}`}
          </span>
        )}
      </span>
      <span className={css.status}>
        {stack.latest_deployment_status ? <StatusBadge status={stack.latest_deployment_status} /> : "never deployed"}
      </span>
      <span className={css.time}>
        {stack.latest_deployment_created_at && <Time at={stack.latest_deployment_created_at} />}
      </span>
    </li>
  );
}
