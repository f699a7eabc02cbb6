import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Lock } from "lucide-react";
import { meQuery } from "../../data/me.ts";
import { PageHead } from "../../shell/PageHead.tsx";
import { useTitle } from "../../shell/title.ts";
import { Notice } from "../../ui/Notice.tsx";
import { TabLinks } from "../../ui/TabLinks.tsx";
import { InstallationAudit } from "./InstallationAudit.tsx";
import { Organizations } from "./Organizations.tsx";
import css from "./Page.module.css";
import { Users } from "./Users.tsx";

const route = getRouteApi("/admin");

const TABS = { organizations: "Organizations", people: "People", audit: "Audit" };
const CONTENT = { organizations: Organizations, people: Users, audit: InstallationAudit };
type Tab = keyof typeof TABS;

/** The whole installation, for its super-admins. */
export default function Page() {
  const { tab } = route.useSearch();
  const me = useQuery(meQuery());
  const name: Tab = tab !== undefined && Object.hasOwn(TABS, tab) ? (tab as Tab) : "organizations";
  useTitle(TABS[name], "Installation");
  if (me.data && !me.data.is_super_admin) {
    return (
      <>
        <PageHead title="Installation" beside={<Lock size={18} aria-hidden />} />
        <Notice>This is for super-admins. Whoever operates this installation can make somebody one.</Notice>
      </>
    );
  }
  const Content = CONTENT[name];
  return (
    <>
      <PageHead title="Installation" />
      <TabLinks
        label="Installation"
        bySearch
        tabs={(Object.keys(TABS) as Tab[]).map((each) => ({
          link: { to: "/admin", search: { tab: each === "organizations" ? undefined : each } },
          label: TABS[each],
          isCurrent: each === name,
        }))}
      />
      <div className={css.tab}>
        <Content />
      </div>
    </>
  );
}
