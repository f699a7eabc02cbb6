import { Link, type LinkProps } from "@tanstack/react-router";
import type { AuditEntry } from "../data/types.ts";
import { ActorName } from "./ActorName.tsx";
import css from "./AuditRow.module.css";
import { auditText } from "./auditText.ts";
import { classes } from "./classes.ts";
import rows from "./rows.module.css";
import { Time } from "./Time.tsx";

/** Who did what to which thing, and the rest when it is opened. */
export function AuditRow({ entry, org }: { entry: AuditEntry; org?: string }) {
  const { occurred_at, actor, action, resource_type, resource_id, details } = entry;
  const link = org === undefined || resource_id === null ? null : linkTo(org, resource_type, resource_id);
  const hasDetails = Object.keys(details).length > 0;
  return (
    <li className={classes(rows.row, css.row)}>
      <span className={css.what}>
        <span className={css.line}>
          <code className={css.action}>{action}</code>
          {link ? <Link {...link}>{resource_id}</Link> : <span className={css.id}>{resource_id ?? resource_type}</span>}
        </span>
        {hasDetails && (
          <details className={css.details}>
            <summary>{auditText(details)}</summary>
            <pre className={css.json}>{JSON.stringify(details, null, 2)}</pre>
          </details>
        )}
      </span>
      <span className={css.who}>{actor ? <ActorName actor={actor} /> : (entry.actor_id ?? "the service itself")}</span>
      <span className={css.when}>
        <Time at={occurred_at} />
      </span>
    </li>
  );
}

/** Where the thing has a page. */
function linkTo(org: string, type: string, id: string): LinkProps | null {
  const params = { org };
  if (type === "stack") return { to: "/orgs/$org/stacks/$stack", params: { org, stack: id } };
  if (type === "runner_group") return { to: "/orgs/$org/runners", params, search: { group: id } };
  if (type === "context") return { to: "/orgs/$org/contexts", params, search: { context: id } };
  if (type === "role") return { to: "/orgs/$org/people", params, search: { tab: "roles", id } };
  if (type === "service_account") return { to: "/orgs/$org/people", params, search: { tab: "accounts", id } };
  if (type === "identity_source") return { to: "/orgs/$org/people", params, search: { tab: "sign-in", id } };
  if (type === "scm_integration") return { to: "/orgs/$org/code-hosts", params, search: { integration: id } };
  if (type === "notification_integration")
    return { to: "/orgs/$org/notifications", params, search: { integration: id } };
  return null;
}
