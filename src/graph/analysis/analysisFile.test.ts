import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readAnalysis } from "./analysisFile.ts";
import { inThread } from "./thread.ts";
import { JOBS, MAX_ANALYSIS_BYTES } from "./threadJobs.ts";

const read = (sections: object) => readAnalysis(JSON.stringify({ version: 1, ...sections }));
const edge = { from_stack: "net", from_resource: null, resource: null, trigger: "manual", file: "main.tf", line: 1 };
const item = {
  address: "aws_vpc.main",
  mode: "managed",
  type: "aws_vpc",
  realm: "aws",
  identity: "vpc-1",
  ignore: false,
};

describe("sections", () => {
  test("absent and null are unknown, empty is known", () => {
    const unknown = { declared: null, identities: null, commentErrors: { shown: [], count: 0 }, problems: [] };
    expect(read({})).toEqual(unknown);
    expect(read({ dependencies: null, resources: null })).toEqual(unknown);
    expect(read({ dependencies: { edges: [] }, resources: { complete: true, items: [] } })).toEqual({
      declared: [],
      identities: { complete: true, items: [] },
      commentErrors: { shown: [], count: 0 },
      problems: [],
    });
  });

  test("comments that were ignored are told, the first fifty; nothing they are spoils what was understood", () => {
    const told = (errors: unknown) => read({ dependencies: { edges: [edge], errors } });
    const many = Array.from({ length: 60 }, (_, i) => `main.tf:${i + 1}: unknown field`);
    expect(told(many).commentErrors).toEqual({ shown: many.slice(0, 50), count: 60 });
    const odd = [1, null, { a: 1 }, "a\u0000b\u001b[31m\ud800\u202ec", "x".repeat(2_000)];
    expect(told(odd).commentErrors).toEqual({ shown: ["a\uFFFDb\uFFFD[31m\uFFFD\uFFFDc", "x".repeat(512)], count: 2 });
    for (const errors of [odd, "text", { length: 3 }, null]) {
      expect(told(errors)).toMatchObject({ declared: [{ fromStack: "net" }], problems: [] });
    }
    for (const dependencies of [{ edges: [1], errors: many }, 5]) {
      const unknown = read({ dependencies });
      expect(unknown).toMatchObject({ declared: null, commentErrors: { shown: [], count: 0 } });
      expect(unknown.problems).toHaveLength(1);
    }
  });

  test("one that is malformed is unknown as a whole and named; the other counts all the same", () => {
    const found = read({
      dependencies: { edges: [edge, { ...edge, from_stack: "no stack" }] },
      resources: { complete: true, items: [item] },
    });
    expect(found.declared).toBeNull();
    expect(found.identities?.items).toHaveLength(1);
    expect(found.problems).toEqual(["dependencies: edges[1].from_stack is no stack id"]);
  });

  test.each([
    ["edges", { edges: {} }],
    ["an edge", { edges: [null] }],
    ["a stack id with another character", { edges: [{ ...edge, from_stack: "a/b" }] }],
    ["an empty stack id", { edges: [{ ...edge, from_stack: "" }] }],
    ["a stack id beyond 512", { edges: [{ ...edge, from_stack: "a".repeat(513) }] }],
    ["a number as an address", { edges: [{ ...edge, resource: 1 }] }],
    ["an address with a space", { edges: [{ ...edge, from_resource: "a b" }] }],
    ["an unknown trigger", { edges: [{ ...edge, trigger: "sometimes" }] }],
    ["10,001 edges", { edges: Array.from({ length: 10_001 }, (_, i) => ({ ...edge, from_stack: `s${i}` })) }],
  ])("%s makes the declarations unknown", (_, dependencies) => {
    const found = read({ dependencies });
    expect(found.declared).toBeNull();
    expect(found.problems).toHaveLength(1);
  });

  test.each([
    ["items", { complete: true, items: {} }],
    ["an item", { complete: true, items: ["x"] }],
    ["an item without an address", { complete: true, items: [{ ...item, address: "" }] }],
    ["an unknown mode", { complete: true, items: [{ ...item, mode: "ephemeral" }] }],
  ])("%s malformed makes the resources unknown", (_, resources) => {
    expect(read({ resources }).identities).toBeNull();
  });

  test.each(["", "[]", "null", "1", '"x"', "{", '{"version": 1'])("%s is no analysis", (text) => {
    expect(() => readAnalysis(text)).toThrow(SyntaxError);
  });

  test("another version is unknown, and says so", () => {
    expect(read({ version: 2, dependencies: { edges: [] } })).toMatchObject({
      declared: null,
      problems: [/version/] as never,
    });
  });
});

describe("declarations", () => {
  test("a trigger that is not given is manual; file and line that cannot be are left out", () => {
    const { trigger: _, ...bare } = edge;
    const [found] = read({ dependencies: { edges: [{ ...bare, file: 7, line: -1 }] } }).declared!;
    expect(found).toEqual({
      fromStack: "net",
      fromResource: null,
      resource: null,
      trigger: "manual",
      file: null,
      line: null,
    });
  });

  test("repeated ones are one, triggers combined in whatever order", () => {
    const triggers = fc.array(fc.constantFrom("always", "manual", "never"), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(triggers, (list) => {
        const found = read({ dependencies: { edges: list.map((trigger) => ({ ...edge, trigger })) } }).declared!;
        expect(found).toHaveLength(1);
        const expected = ["manual", "never", "always"].find((trigger) => (list as string[]).includes(trigger));
        expect(found[0]!.trigger).toBe(expected);
      }),
    );
  });
});

describe("identities", () => {
  const items = (list: object[]) => read({ resources: { complete: true, items: list } }).identities!.items;

  test("a resource without realm or identity, told to be ignored, or with too long an address is left out", () => {
    expect(
      items([
        { ...item, realm: null },
        { ...item, identity: null },
        { ...item, identity: "" },
        { ...item, ignore: true },
        { ...item, address: "é".repeat(513) },
        { ...item, address: "a\u0000b" },
      ]),
    ).toEqual([]);
  });

  test("the same realm and identity have the same hash, and only they", () => {
    const of = (realm: string, identity: string) => items([{ ...item, realm, identity }])[0]!.hash;
    expect(of("aws", "vpc-1")).toBe(of("aws", "vpc-1"));
    expect(of("aws", "vpc-1")).not.toBe(of("aw", "svpc-1"));
  });

  test("come in the byte order of their addresses, each once", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary", minLength: 1, maxLength: 3 })), (addresses) => {
        const found = items([...addresses, ...addresses].map((address) => ({ ...item, address })));
        const bytes = found.map(({ address }) => Buffer.from(address));
        for (let i = 1; i < bytes.length; i++) expect(Buffer.compare(bytes[i - 1]!, bytes[i]!)).toBe(-1);
      }),
    );
  });
});

test("no text makes it do anything but read or throw a syntax error; what it reads is whole", () => {
  const hostile = fc.record({
    version: fc.constantFrom(1, 2),
    dependencies: fc.oneof(
      fc.json(),
      fc.record({ edges: fc.array(fc.oneof(fc.constant(edge), fc.jsonValue() as never)) }),
    ),
    resources: fc.oneof(
      fc.json(),
      fc.record({ items: fc.array(fc.oneof(fc.constant(item), fc.jsonValue() as never)) }),
    ),
  });
  fc.assert(
    fc.property(hostile, (file) => {
      const found = readAnalysis(JSON.stringify(file));
      for (const declared of found.declared ?? []) expect(declared.fromStack).toMatch(/^[A-Za-z0-9._-]+$/);
    }),
    { numRuns: 500 },
  );
});

describe("in its thread", () => {
  const bytes = (value: unknown) => new Uint8Array(Buffer.from(JSON.stringify(value)));

  test("plain and gzipped files, in chunks that cover the addresses without a gap", async () => {
    const many = Array.from({ length: 2_500 }, (_, i) => ({ ...item, address: `x.y[${i}]` }));
    const file = { version: 1, dependencies: { edges: [edge] }, resources: { complete: true, items: many } };
    const plain = await inThread("analysis", bytes(file));
    expect(await inThread("analysis", new Uint8Array(gzipSync(bytes(file))))).toEqual(plain);
    expect(plain.identities?.chunks.map(({ rows }) => JSON.parse(rows).length)).toEqual([1_000, 1_000, 500]);
    expect(plain.identities?.chunks.at(-1)?.upTo).toBeNull();
    expect(JSON.parse(plain.declared!)).toEqual([["net", null, null, "manual", "main.tf", 1]]);
  });

  test("an empty list is one empty chunk, so that what was there goes", () => {
    const { identities } = JOBS.analysis(bytes({ version: 1, resources: { complete: true, items: [] } }));
    expect(identities?.chunks).toEqual([{ rows: "[]", upTo: null }]);
  });

  test("no JSON, cut gzip and a bomb are refused; the next job is served", async () => {
    await expect(inThread("analysis", new Uint8Array([123]))).rejects.toThrow();
    await expect(inThread("analysis", new Uint8Array(gzipSync("{}")).subarray(0, 12))).rejects.toThrow();
    const bomb = gzipSync(Buffer.alloc(MAX_ANALYSIS_BYTES + 1, 0x20));
    await expect(inThread("analysis", new Uint8Array(bomb))).rejects.toThrow();
    await expect(inThread("analysis", bytes({ version: 1 }))).resolves.toMatchObject({ declared: null });
  });

  test("a file that takes more memory than the thread has ends the thread, and no more", {
    timeout: 60_000,
  }, async () => {
    const nested = Buffer.alloc(MAX_ANALYSIS_BYTES - 2, "[],");
    const file = new Uint8Array(
      Buffer.concat([Buffer.from('{"a":['), nested.subarray(0, nested.length - 16), Buffer.from("[]]}")]),
    );
    const failed = inThread("analysis", file);
    const after = inThread("analysis", bytes({ version: 1 }));
    await failed.catch(() => {});
    await expect(after).resolves.toMatchObject({ declared: null });
  });

  test("the event loop goes on while a large file is read", { timeout: 60_000 }, async () => {
    const many = Array.from({ length: 100_000 }, (_, i) => ({ ...item, address: `module.a.aws_subnet.private[${i}]` }));
    const file = bytes({ version: 1, resources: { complete: true, items: many } });
    let last = performance.now();
    let longest = 0;
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    const { identities } = await inThread("analysis", file);
    clearInterval(timer);
    expect(identities?.chunks).toHaveLength(100);
    expect(longest).toBeLessThan(250);
  });
});
