/** Plans and logs of the size that pages have to bear. Pure. */

/** Lines of a plan's changes: some of every kind, in modules, with values of several kinds. */
export function manyChanges(count: number): Buffer<ArrayBuffer> {
  const lines = Array.from({ length: count }, (_, at) => JSON.stringify(changeAt(at)));
  return Buffer.from(`${lines.join("\n")}\n`);
}

function changeAt(at: number) {
  const action = at % 100 === 0 ? "destroy" : at % 100 === 1 ? "replace" : at % 3 === 0 ? "add" : "change";
  const side = (version: number) => ({
    id: `i-${at.toString(16).padStart(12, "0")}`,
    name: `node-${at}`,
    tags: { owner: "platform", version: `v${version}`, zone: `eu-${at % 3}` },
    policy: JSON.stringify({ Statement: [{ Action: `get${version}`, Resource: [`arn:${at}`] }] }),
    rules: [
      { port: 22, cidr: ["10.0.0.0/8"] },
      { port: 443, cidr: [`10.${at % 256}.${version}.0/24`] },
    ],
  });
  return {
    kind: "resource",
    address: `module.region["eu-${at % 40}"].module.net.aws_instance.node[${at}]`,
    type: "aws_instance",
    provider: "registry.example.com/hashicorp/aws",
    action,
    actions: { destroy: ["delete"], replace: ["delete", "create"], add: ["create"], change: ["update"] }[action],
    ...(action === "replace" && { replace_paths: [["name"]], reason: "replace_because_cannot_update" }),
    before: action === "add" ? null : side(1),
    after: action === "destroy" ? null : side(2),
  };
}

/** One chunk of a long log; the last line of the whole is `longLogEnd`. */
export function longLogChunk(index: number, bytes: number): Buffer<ArrayBuffer> {
  const lines = [];
  for (let size = 0, at = 0; size < bytes; at++) {
    const line = `module.region["eu-${at % 40}"].aws_instance.node[${index * 600 + at}]: Still creating... [${at % 60}s elapsed, ${index}]\n`;
    size += line.length;
    lines.push(line);
  }
  const text = Buffer.from(lines.join(""));
  // Whole lines would leave a little room: it is filled by the last one.
  return Buffer.concat([text.subarray(0, bytes - 1), Buffer.from("\n")]);
}
