import { useInfiniteQuery } from "@tanstack/react-query";
import { Ban, CircleCheck, Plus } from "lucide-react";
import { sourcesQuery } from "../../data/signInSources.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Button } from "../../ui/Button.tsx";
import { PagedList } from "../../ui/PagedList.tsx";
import { Panel } from "../../ui/Panel.tsx";
import { Split } from "../../ui/Split.tsx";
import { SplitRow } from "../../ui/SplitRow.tsx";
import { Empty } from "../../ui/states.tsx";
import { PROVIDERS } from "./providers.ts";
import { SourceDetail } from "./SourceDetail.tsx";
import { SourceDialog } from "./SourceDialog.tsx";
import { usePeople } from "./usePeople.ts";

/** Where people of the organization sign in, who of them is let in, and what their groups confer. */
export function Sources() {
  const { org, search, set, may, show } = usePeople();
  const list = useInfiniteQuery(sourcesQuery(org));
  const mayManage = may("identity_source", "manage");
  const add = (
    <Button small kind="primary" icon={<Plus size={14} aria-hidden />} onClick={() => show("new")}>
      New source
    </Button>
  );
  return (
    <>
      <Split
        back={{ link: { to: "/orgs/$org/people", params: { org }, search: { tab: "sign-in" } }, label: "All sources" }}
        list={
          <Panel title="Sign-in sources" more={mayManage && add}>
            <PagedList
              label="Sign-in sources"
              list={list}
              empty={<Empty title="No source">Without one people are members by invitation only.</Empty>}
              row={({ id, display_name, provider_key, source_slug, enabled }) => (
                <SplitRow
                  key={id}
                  link={{ to: "/orgs/$org/people", params: { org }, search: { tab: "sign-in", id } }}
                  title={display_name}
                  selected={id === search.id}
                  meta={
                    <>
                      <span>{PROVIDERS[provider_key] ?? provider_key}</span>
                      <code>{source_slug}</code>
                    </>
                  }
                  end={
                    <Badge tone={enabled ? "ok" : "still"} icon={enabled ? CircleCheck : Ban}>
                      {enabled ? "Enabled" : "Disabled"}
                    </Badge>
                  }
                />
              )}
            />
          </Panel>
        }
        detail={search.id ? <SourceDetail key={search.id} id={search.id} /> : null}
      />
      {search.dialog === "new" && mayManage && (
        <SourceDialog
          org={org}
          source={null}
          onClose={() => show(undefined)}
          onMade={(id) => set({ id, dialog: undefined })}
        />
      )}
    </>
  );
}
