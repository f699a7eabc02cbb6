/** The address of the page: what is selected and which dialog is open stand in it. */
import { getRouteApi } from "@tanstack/react-router";
import { useMay } from "../../data/permissions.ts";

const route = getRouteApi("/orgs/$org/people");

export function usePeople() {
  const { org } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay(org);
  const set = (patch: Partial<typeof search>) => void navigate({ search: (before) => ({ ...before, ...patch }) });
  return { org, search, set, may, show: (dialog: string | undefined) => set({ dialog }) };
}
