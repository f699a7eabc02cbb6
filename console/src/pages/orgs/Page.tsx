import { useQuery } from "@tanstack/react-query";
import { Link, Navigate } from "@tanstack/react-router";
import { orgsQuery } from "../../data/orgs.ts";
import { PageHead } from "../../shell/PageHead.tsx";
import { usePreference } from "../../shell/preferences.ts";
import { useTitle } from "../../shell/title.ts";
import { Panel } from "../../ui/Panel.tsx";
import rows from "../../ui/rows.module.css";
import { Empty, Failed, Loading } from "../../ui/states.tsx";

/** Where nothing is said about the organization: the last one that was looked at, or a choice. */
export default function Page() {
  useTitle("Organizations");
  const last = usePreference("org");
  const orgs = useQuery(orgsQuery());
  if (orgs.isPending) return <Loading />;
  if (orgs.isError) return <Failed error={orgs.error} onRetry={() => void orgs.refetch()} />;
  const shared = orgs.data.filter(({ is_personal }) => !is_personal);
  const known = orgs.data.find(({ id }) => id === last) ?? (shared.length === 1 ? shared[0] : undefined);
  if (known !== undefined) return <Navigate to="/orgs/$org" params={{ org: known.id }} replace />;
  return (
    <>
      <PageHead title="Organizations" />
      <Panel title="Yours" count={orgs.data.length}>
        {orgs.data.length === 0 && (
          <Empty title="You are in no organization yet">Ask somebody who is to invite you.</Empty>
        )}
        <ul className={rows.rows}>
          {orgs.data.map(({ id, name, is_personal }) => (
            <li key={id} className={rows.row}>
              <Link to="/orgs/$org" params={{ org: id }} className={rows.link} data-row>
                {name}
              </Link>
              <span className={rows.meta}>{is_personal ? "Your own" : "Shared"}</span>
            </li>
          ))}
        </ul>
      </Panel>
    </>
  );
}
