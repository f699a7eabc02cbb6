import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Settings2 } from "lucide-react";
import { meQuery } from "../../data/me.ts";
import { orgQuery, runnerGroupsQuery } from "../../data/orgs.ts";
import { useMay } from "../../data/permissions.ts";
import { PageHead } from "../../shell/PageHead.tsx";
import { useTitle } from "../../shell/title.ts";
import { Button } from "../../ui/Button.tsx";
import { Copy } from "../../ui/Copy.tsx";
import { Facts } from "../../ui/Facts.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import { Instant } from "../../ui/Time.tsx";
import { ApprovalRules } from "./ApprovalRules.tsx";
import { OrgDialog } from "./OrgDialog.tsx";
import css from "./Page.module.css";
import { ProtectedLabels } from "./ProtectedLabels.tsx";

const route = getRouteApi("/orgs/$org/settings");

/** What the organization is called, what it may use, and which labels are guarded. */
export default function Page() {
  useTitle("Settings");
  const { org } = route.useParams();
  const { dialog } = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay(org);
  const me = useQuery(meQuery());
  const organization = useQuery(orgQuery(org));
  const groups = useQuery(runnerGroupsQuery(org));
  const show = (next: string | undefined) => void navigate({ search: { dialog: next } });
  if (organization.isError) return <Failed error={organization.error} onRetry={() => void organization.refetch()} />;
  if (organization.data === undefined) return <Loading lines={6} what="Loading the settings" />;
  const data = organization.data;
  const group = groups.data?.find(({ id }) => id === data.default_runner_group_id);
  const mayChange = may("org", "update");
  const change = (
    <Button small icon={<Settings2 size={14} aria-hidden />} onClick={() => show("organization")}>
      Change
    </Button>
  );
  return (
    <div className={css.page}>
      <PageHead title="Settings" />
      <Panel title="Organization" more={mayChange && change}>
        <Facts
          facts={[
            ["Name", data.name],
            ["Handle", data.login_handle ?? "none: its people sign in at the platform's providers"],
            data.is_personal && ["Kind", "personal: of one person"],
            [
              "Default runner group",
              data.default_runner_group_id === null ? (
                "none"
              ) : (
                <Link
                  key="group"
                  to="/orgs/$org/runners"
                  params={{ org }}
                  search={{ group: data.default_runner_group_id }}
                >
                  {group?.name ?? data.default_runner_group_id}
                </Link>
              ),
            ],
            ["Made", <Instant key="made" at={data.created_at} />],
            [
              "Id",
              <span key="id" className={css.copied}>
                <code>{data.id}</code>
                <Copy text={data.id} what="id" />
              </span>,
            ],
          ]}
        />
      </Panel>
      <Panel title="Limits">
        <Facts
          facts={[
            ["Members at most", data.max_users.toLocaleString()],
            ["Runs per hour", data.runs_per_hour_limit.toLocaleString()],
            data.dispatch_throttled_until !== null && [
              "Nothing is handed out until",
              <Instant key="until" at={data.dispatch_throttled_until} />,
            ],
          ]}
        />
        {me.data?.is_super_admin !== true && <p className={css.note}>The operator of this installation sets them.</p>}
      </Panel>
      <ProtectedLabels org={org} dialog={dialog} onDialog={show} />
      {may("approval_rule", "read") && <ApprovalRules org={org} dialog={dialog} onDialog={show} />}
      {dialog === "organization" && mayChange && (
        <OrgDialog
          organization={data}
          groups={groups.data ?? []}
          isSuperAdmin={me.data?.is_super_admin === true}
          onClose={() => show(undefined)}
        />
      )}
    </div>
  );
}
