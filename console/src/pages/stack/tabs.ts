/** The tabs of a stack, in their order. */
export const TABS = [
  { to: "/orgs/$org/stacks/$stack", label: "Deployments" },
  { to: "/orgs/$org/stacks/$stack/queue", label: "Queue" },
  { to: "/orgs/$org/stacks/$stack/pull-requests", label: "Pull requests" },
  { to: "/orgs/$org/stacks/$stack/dependencies", label: "Dependencies" },
  { to: "/orgs/$org/stacks/$stack/resources", label: "Resources" },
  { to: "/orgs/$org/stacks/$stack/state", label: "State" },
  { to: "/orgs/$org/stacks/$stack/outputs", label: "Outputs" },
  { to: "/orgs/$org/stacks/$stack/drift", label: "Drift" },
  { to: "/orgs/$org/stacks/$stack/schedules", label: "Schedules" },
  { to: "/orgs/$org/stacks/$stack/activity", label: "Activity" },
  { to: "/orgs/$org/stacks/$stack/settings", label: "Settings" },
] as const;
