import { Link, useNavigate } from "@tanstack/react-router";
import { ExternalLink, GitPullRequest } from "lucide-react";
import { useState } from "react";
import { answerOf } from "../../../../clients/api/client.ts";
import { ApiError } from "../../../../clients/api/problem.ts";
import { api } from "../../data/api.ts";
import { keys } from "../../data/keys.ts";
import type { PullRequest } from "../../data/types.ts";
import { useWrite } from "../../data/write.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { FormError } from "../../ui/FormError.tsx";
import rows from "../../ui/rows.module.css";
import { StatusBadge } from "../../ui/StatusBadge.tsx";
import { Time } from "../../ui/Time.tsx";
import css from "./tabs.module.css";

const UNMET = { approved: "an approval", mergeable: "that it can be merged", checks_passed: "its checks" };

type Props = { org: string; stack: string; pull: PullRequest; mayPromote: boolean };

export function PullRequestRow({ org, stack, pull, mayPromote }: Props) {
  const { number, title, url, author, head_branch, is_fork, updated_at, latest_deployment_id: latest } = pull;
  const [asking, setAsking] = useState(false);
  const unmet = pull.unmet_requirements.map((name) => UNMET[name]);
  return (
    <li className={`${rows.row} ${css.row}`}>
      <span>
        {latest === null ? (
          <strong>{title}</strong>
        ) : (
          <Link
            to="/orgs/$org/stacks/$stack/deployments/$id"
            params={{ org, stack, id: latest }}
            className={rows.link}
            data-row
          >
            {title}
          </Link>
        )}
        <span className={rows.meta}>
          <a href={url} className={rows.above} rel="noreferrer">
            <GitPullRequest size={13} aria-hidden /> #{number} <ExternalLink size={12} aria-label="at the code host" />
          </a>
          <span>
            {head_branch}
            {is_fork && " of a fork"}
          </span>
          {author && <span>{author}</span>}
          <Time at={updated_at} />
          {unmet.length > 0 && <span>lacks {unmet.join(", ")}</span>}
          {pull.status_refusal && <span>{pull.status_refusal}</span>}
        </span>
      </span>
      <span className={css.beside}>
        {pull.latest_deployment_status && <StatusBadge status={pull.latest_deployment_status} />}
        {mayPromote && pull.preview_is_current && unmet.length === 0 && (
          <span className={rows.above}>
            <Button small onClick={() => setAsking(true)}>
              Deploy it
            </Button>
          </span>
        )}
      </span>
      {asking && <PromoteDialog org={org} stack={stack} pull={pull} onClose={() => setAsking(false)} />}
    </li>
  );
}

/** Codes of refusals that a person may overrule. */
const OVERRULED = ["base_diverged", "base_unknown"];

function PromoteDialog({ org, stack, pull, onClose }: Omit<Props, "mayPromote"> & { onClose: () => void }) {
  const navigate = useNavigate();
  const promote = useWrite(
    (force: boolean, headers) =>
      answerOf(
        api.POST("/api/v1/orgs/{org_id}/stacks/{stack_id}/pull-requests/{number}/promote", {
          params: {
            path: { org_id: org, stack_id: stack, number: pull.number },
            ...(force && { query: { force: "true" as const } }),
          },
          headers,
        }),
      ),
    {
      changes: [keys.stackWork(org, stack)],
      onDone: ({ id }) => void navigate({ to: "/orgs/$org/stacks/$stack/deployments/$id", params: { org, stack, id } }),
    },
  );
  const mayForce = promote.error instanceof ApiError && OVERRULED.includes(promote.error.code ?? "");
  const actions = (
    <>
      <Button onClick={onClose}>Leave it</Button>
      <Button kind={mayForce ? "danger" : "primary"} busy={promote.isPending} onClick={() => promote.mutate(mayForce)}>
        {mayForce ? "Deploy it all the same" : "Deploy it"}
      </Button>
    </>
  );
  return (
    <Dialog title={`Deploy pull request #${pull.number}`} onClose={onClose} actions={actions}>
      <p>Plans its newest commit in the stack's queue, before it is merged.</p>
      <FormError error={promote.error} />
    </Dialog>
  );
}
