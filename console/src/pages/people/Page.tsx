import { getRouteApi } from "@tanstack/react-router";
import { useMay } from "../../data/permissions.ts";
import { PageHead } from "../../shell/PageHead.tsx";
import { useTitle } from "../../shell/title.ts";
import { TabLinks } from "../../ui/TabLinks.tsx";
import { Accounts } from "./Accounts.tsx";
import { Invitations } from "./Invitations.tsx";
import { Members } from "./Members.tsx";
import css from "./Page.module.css";
import { Proofs } from "./Proofs.tsx";
import { Roles } from "./Roles.tsx";
import { Sources } from "./Sources.tsx";
import { TABS, type TabName, tabOf } from "./tabs.ts";

const route = getRouteApi("/orgs/$org/people");

const CONTENT: Readonly<Record<TabName, () => React.ReactNode>> = {
  members: Members,
  invitations: Invitations,
  roles: Roles,
  accounts: Accounts,
  "sign-in": Sources,
  domains: Proofs,
};

/** Who may come in, by which way, and what each may do. */
export default function Page() {
  const { org } = route.useParams();
  const { tab } = route.useSearch();
  const may = useMay(org);
  const name = tabOf(tab);
  useTitle(TABS[name].label, "People");
  const Content = CONTENT[name];
  const shown = (Object.keys(TABS) as TabName[]).filter(
    (each) => each === name || may(TABS[each].needs[0], TABS[each].needs[1]),
  );
  return (
    <>
      <PageHead title="People" />
      <TabLinks
        label="People"
        bySearch
        tabs={shown.map((each) => ({
          link: { to: "/orgs/$org/people", params: { org }, search: { tab: each === "members" ? undefined : each } },
          label: TABS[each].label,
          isCurrent: each === name,
        }))}
      />
      <div className={css.tab}>
        <Content key={name} />
      </div>
    </>
  );
}
