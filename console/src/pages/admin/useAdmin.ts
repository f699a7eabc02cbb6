/** The address of the page: what is selected, searched for and asked stands in it. */
import { getRouteApi } from "@tanstack/react-router";

const route = getRouteApi("/admin");

export function useAdmin() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = (patch: Partial<typeof search>) => void navigate({ search: (before) => ({ ...before, ...patch }) });
  return { search, set };
}
