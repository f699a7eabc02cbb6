/**
 * Pages of an organization as the navigation and the palette show them, in their order. A page is added here, in
 * `routes.tsx`, and as a folder of `pages/`.
 */
import {
  Bell,
  Boxes,
  GitBranch,
  House,
  Layers,
  type LucideIcon,
  Network,
  Rocket,
  ScrollText,
  Server,
  Settings,
  ShieldCheck,
  Users,
  Variable,
  Waves,
} from "lucide-react";

export type NavigationPage = { to: OrgPath; label: string; keys: string; icon: LucideIcon };
type OrgPath =
  | "/orgs/$org"
  | `/orgs/$org/${"deployments" | "stacks" | "graph" | "resources" | "drift" | "runners" | "contexts" | "code-hosts"}`
  | `/orgs/$org/${"policies" | "notifications" | "people" | "audit" | "settings"}`;

export const WORK: readonly NavigationPage[] = [
  { to: "/orgs/$org", label: "Home", keys: "g h", icon: House },
  { to: "/orgs/$org/deployments", label: "Deployments", keys: "g d", icon: Rocket },
  { to: "/orgs/$org/stacks", label: "Stacks", keys: "g s", icon: Layers },
  { to: "/orgs/$org/graph", label: "Graph", keys: "g g", icon: Network },
  { to: "/orgs/$org/resources", label: "Resources", keys: "g e", icon: Boxes },
  { to: "/orgs/$org/drift", label: "Drift", keys: "g f", icon: Waves },
];

export const SETUP: readonly NavigationPage[] = [
  { to: "/orgs/$org/runners", label: "Runners", keys: "g r", icon: Server },
  { to: "/orgs/$org/contexts", label: "Contexts", keys: "g c", icon: Variable },
  { to: "/orgs/$org/policies", label: "Policies", keys: "g y", icon: ShieldCheck },
  { to: "/orgs/$org/code-hosts", label: "Code hosts", keys: "g o", icon: GitBranch },
  { to: "/orgs/$org/notifications", label: "Notifications", keys: "g n", icon: Bell },
  { to: "/orgs/$org/people", label: "People", keys: "g p", icon: Users },
  { to: "/orgs/$org/audit", label: "Audit", keys: "g a", icon: ScrollText },
  { to: "/orgs/$org/settings", label: "Settings", keys: "g t", icon: Settings },
];
