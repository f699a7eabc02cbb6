import { getRouteApi } from "@tanstack/react-router";
import { PageHead } from "../../shell/PageHead.tsx";
import { useTitle } from "../../shell/title.ts";
import { TabLinks } from "../../ui/TabLinks.tsx";
import { Findings } from "./Findings.tsx";
import { Resources } from "./Resources.tsx";

const route = getRouteApi("/orgs/$org/resources");
const here = "/orgs/$org/resources";

export default function Page() {
  const { org } = route.useParams();
  const { tab } = route.useSearch();
  const isFindings = tab === "findings";
  useTitle(isFindings ? "Findings" : "Resources");
  return (
    <>
      <PageHead title="Resources">What the applied states of all stacks hold, as far as you may read them.</PageHead>
      <TabLinks
        label="Resources"
        bySearch
        // Where it is already a tab keeps the filters.
        tabs={[
          { label: "Resources", link: { to: here, params: { org }, search: isFindings ? {} : true } },
          { label: "Findings", link: { to: here, params: { org }, search: isFindings ? true : { tab: "findings" } } },
        ]}
      />
      {isFindings ? <Findings /> : <Resources />}
    </>
  );
}
