import { NotHereYet } from "../../shell/NotHereYet.tsx";

export default function Page() {
  return <NotHereYet title="Sign in on a device" />;
}
