/// <reference lib="webworker" />
import { LogReader } from "./logReader.ts";
import type { ToWorker } from "./protocol.ts";

const here = self as unknown as DedicatedWorkerGlobalScope;
const reader = new LogReader((message, transfer = []) => here.postMessage(message, transfer));
here.onmessage = ({ data }: MessageEvent<ToWorker>) => reader.take(data);
