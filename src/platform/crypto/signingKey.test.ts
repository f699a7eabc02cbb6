import { expect, it } from "vitest";
import { signingKey } from "./signingKey.ts";

it.each(["whsec_", "whsec_%%%", "whsec_=", "whsec_====", "whsec_AAA", "whsec_AA=A", "whsec_AAAA\n", "whsec_A-_A"])(
  "%j stands for no key",
  (secret) => expect(signingKey(secret)).toBeNull(),
);

it("one in base64 is its bytes, and any other secret is none of this form", () => {
  expect(signingKey("whsec_AQID")).toEqual(Buffer.from([1, 2, 3]));
  expect(signingKey("whsec_AQ==")).toEqual(Buffer.from([1]));
  for (const other of ["", "a secret", "WHSEC_AQID", " whsec_AQID"]) expect(signingKey(other)).toBeUndefined();
});
