import { Empty } from "../../ui/states.tsx";

export default function PullRequests() {
  return <Empty title="Not here yet" />;
}
