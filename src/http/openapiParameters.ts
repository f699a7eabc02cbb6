/** Query parameters of the OpenAPI document, out of the schema that checks them. */
import { toJsonSchema } from "@valibot/to-json-schema";
import type { DescribeRouteOptions } from "hono-openapi";
import type * as v from "valibot";

type Property = { description?: string } & Exclude<Parameter["schema"], undefined>;
type Parameter = Extract<NonNullable<DescribeRouteOptions["parameters"]>[number], { name: string }>;

export function queryParameters(
  schema: v.GenericSchema<Record<string, unknown>, unknown>,
): NonNullable<DescribeRouteOptions["parameters"]> {
  const { properties = {}, required = [] } = toJsonSchema(schema, { errorMode: "ignore", typeMode: "input" });
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...type } = property as Property;
    return {
      name,
      in: "query",
      required: required.includes(name),
      ...(description === undefined ? {} : { description }),
      ...("type" in type && type.type === "array" ? { style: "form" as const, explode: false } : {}),
      schema: type,
    };
  });
}
