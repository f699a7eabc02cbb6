import { Empty } from "../../ui/states.tsx";

export default function Activity() {
  return <Empty title="Not here yet" />;
}
