import { Empty } from "../../ui/states.tsx";

export default function Settings() {
  return <Empty title="Not here yet" />;
}
