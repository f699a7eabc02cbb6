import type { Person } from "../harness/person.ts";
import type { BenchOrg } from "../harness/seed.ts";

export type Tenant = {
  org: BenchOrg;
  person: Person;
  /** Of the APIs in turn. */
  baseUrl: () => string;
};
