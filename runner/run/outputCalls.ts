/** What a run tells of its own outputs and asks of other stacks', as it needs it of the service. */
import type { InputsAnswer, InputsBody, OutputsBody } from "../../src/core/runs/outputs.ts";

export interface OutputStore {
  putOutputs(body: OutputsBody, signal?: AbortSignal): Promise<void>;
}

export interface InputSource {
  takeInputs(body: InputsBody, signal?: AbortSignal): Promise<InputsAnswer>;
}
