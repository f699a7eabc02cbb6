import { describe, expect, it } from "vitest";
import { integrationChanges, integrationDetails } from "./auditDetails.ts";
import type { CloudRole } from "./provider.ts";

const role = (name: string, more: Partial<CloudRole> = {}): CloudRole => ({
  name,
  role_arn: `arn:aws:iam::123456789012:role/${name}`,
  use_in_previews: true,
  ...more,
});
const shown = (name: string) => ({ name, role_arn: role(name).role_arn });
const account = (name: string) => ({
  service_account_email: `${name}@p.iam.gserviceaccount.com`,
  use_in_previews: true,
});

describe("the trail of an integration", () => {
  it("says which roles came, went and changed, and how", () => {
    const before = { roles: [role("a"), role("b"), role("c")] };
    const after = { roles: [role("b"), role("c", { use_in_previews: false }), role("d")] };
    const changed = [{ name: "c", before: { use_in_previews: true }, after: { use_in_previews: false } }];
    expect(integrationChanges("cloud_a", before, after)).toEqual({
      roles: { added: [shown("d")], removed: [shown("a")], changed },
    });
  });

  it("tells policies by their digests alone", () => {
    const [none, some] = [{ roles: [role("a")] }, { roles: [role("a", { inline_policy: "{}" })] }];
    const changes = JSON.stringify(integrationChanges("cloud_a", none, some));
    expect(changes).toContain(
      '"inline_policy_sha256":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"',
    );
    expect(changes).not.toContain("{}");
  });

  it("has nothing to say of a write that changes nothing, whatever the order", () => {
    expect(
      integrationChanges("cloud_a", { roles: [role("a"), role("b")] }, { roles: [role("b"), role("a")] }),
    ).toBeNull();
    expect(integrationChanges("cloud_b", account("a"), account("a"))).toBeNull();
  });

  it("begins with all that a new one has, and ends with all that it had", () => {
    expect(integrationChanges("cloud_a", null, { roles: [role("a")] })).toMatchObject({
      roles: { added: [shown("a")], removed: [] },
    });
    const email = { before: null, after: account("a").service_account_email };
    expect(integrationChanges("cloud_b", null, account("a"))).toEqual({
      service_account_email: email,
      use_in_previews: { before: null, after: true },
    });
    expect(integrationChanges("cloud_b", account("a"), { ...account("a"), use_in_previews: false })).toEqual({
      use_in_previews: { before: true, after: false },
    });
    expect(integrationDetails("cloud_a", { roles: [role("a", { inline_policy: "{}" })] })).toEqual({
      roles: [shown("a")],
    });
    const { service_account_email } = account("a");
    expect(integrationDetails("cloud_b", account("a"))).toEqual({ service_account_email });
  });

  it("tells an identity's settings as they are: nothing in them is a secret, and their order is none", () => {
    const before = { tenant_id: "t", client_id: "c", audience: "a", use_in_previews: true };
    const after = { use_in_previews: true, audience: "b", client_id: "c", tenant_id: "t" };
    expect(integrationChanges("azure_identity", before, after)).toEqual({ audience: { before: "a", after: "b" } });
    expect(integrationChanges("azure_identity", before, { ...before })).toBeNull();
    expect(integrationDetails("azure_identity", before)).toEqual({ config: before });
  });
});
