import { Link } from "@tanstack/react-router";
import { GitCommitHorizontal } from "lucide-react";
import type { ReactNode } from "react";
import type { Deployment } from "../data/types.ts";
import { ActorName } from "./ActorName.tsx";
import { ChangeCounts } from "./ChangeCounts.tsx";
import { classes } from "./classes.ts";
import css from "./DeploymentRow.module.css";
import { MODES, originOf, reasonOf, subjectOf } from "./deploymentText.ts";
import rows from "./rows.module.css";
import { StatusBadge } from "./StatusBadge.tsx";
import { Time } from "./Time.tsx";

type Props = { deployment: Deployment; withStack?: boolean; actions?: ReactNode };

/**
 * @param withStack where deployments of several stacks stand beside each other
 * @param actions what can be done with it in its place
 */
export function DeploymentRow({ deployment, withStack = false, actions }: Props) {
  const { id, org_id: org, stack_id: stack, status, mode, created_at, allowed_actions } = deployment;
  const reason = reasonOf(deployment);
  const mine = allowed_actions.includes("confirm") || allowed_actions.includes("confirm_preview");
  return (
    <li className={classes(rows.row, css.row)}>
      <span className={css.status}>
        <StatusBadge status={status} mine={mine} />
      </span>
      <span className={css.main}>
        <Link to="/orgs/$org/stacks/$stack/deployments/$id" params={{ org, stack, id }} className={rows.link} data-row>
          {withStack && <span className={css.stack}>{stack}</span>}
          {subjectOf(deployment)}
        </Link>
        <span className={rows.meta}>
          <span>
            {MODES[mode]} {originOf(deployment)}
          </span>
          {deployment.commit_sha && (
            <span className={css.commit}>
              <GitCommitHorizontal size={14} aria-hidden />
              <code>{deployment.commit_sha.slice(0, 7)}</code>
              {deployment.branch}
            </span>
          )}
          <ActorName actor={deployment.created_by_actor} />
        </span>
        {reason && <span className={css.why}>{reason}</span>}
      </span>
      <span className={css.changes}>
        <ChangeCounts deployment={deployment} />
      </span>
      <span className={css.time}>
        <Time at={created_at} />
      </span>
      {actions && <span className={classes(rows.above, css.actions)}>{actions}</span>}
    </li>
  );
}
