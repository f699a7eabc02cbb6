import { NotHereYet } from "../../shell/NotHereYet.tsx";

export default function Page() {
  return <NotHereYet title="Notifications" />;
}
