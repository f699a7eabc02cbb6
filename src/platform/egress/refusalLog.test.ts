import { expect, it } from "vitest";
import { createEgress } from "./egress.ts";
import { refusalLog } from "./refusalLog.ts";

it("the log names each address that nobody opened, and the setting that would, once in a while", async () => {
  const lines: [object, string][] = [];
  const onRefused = refusalLog({ warn: (about: object, text: string) => void lines.push([about, text]) } as never);
  const resolve = async () => [{ address: "10.1.2.3", family: 4 }];
  const egress = createEgress({ allow: [], ports: [443] }, resolve, onRefused);
  const refused = { detail: expect.stringContaining("SVC_EGRESS_ALLOW") };
  for (const url of ["http://127.0.0.1:3000/a?secret", "http://127.0.0.1:3000/b", "https://git.corp.example/x"]) {
    await expect(egress.request({ url })).rejects.toMatchObject(refused);
  }
  await expect(egress.checkHost("git.corp.example", 22)).rejects.toMatchObject(refused);
  await egress.close();
  expect(lines.map(([about]) => about)).toEqual([
    { host: "127.0.0.1", port: 3000, addresses: ["127.0.0.1"] },
    { host: "git.corp.example", port: 443, addresses: ["10.1.2.3"] },
    { host: "git.corp.example", port: 22, addresses: ["10.1.2.3"] },
  ]);
  for (const [, text] of lines) expect(text).toContain("SVC_EGRESS_ALLOW");
});
