import { Empty } from "../../ui/states.tsx";

export default function Dependencies() {
  return <Empty title="Not here yet" />;
}
