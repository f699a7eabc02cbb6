/** The OpenAPI document of the service, without one: nothing is connected to. */
import { createMetrics } from "../../platform/telemetry/metrics.ts";
import type { Service } from "../../work/service.ts";
import { defaultConfig } from "../config/defaultConfig.ts";
import { type ApiDocument, documentOf } from "./document.ts";
import { type Given, wire } from "./wire.ts";

export async function describeApi(): Promise<ApiDocument> {
  const { app } = await wire(defaultConfig(), UNUSABLE);
  return documentOf(app);
}

/** Whatever is asked of it gives it again, so that routes can be put together and none can do anything. */
const unusable = new Proxy({}, { get: () => unusable }) as never;

const UNUSABLE: Given<Service> = {
  service: unusable,
  explore: unusable,
  dispatcher: unusable,
  sender: unusable,
  keyring: unusable,
  objects: unusable,
  egress: unusable,
  metrics: createMetrics(),
  log: unusable,
};
