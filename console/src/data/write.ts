/**
 * A change, sent once however often its button is pressed while nobody knows whether it arrived: the key stays the same
 * until there is an answer, and another change gets another key.
 */
import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { ApiError } from "../../../clients/api/problem.ts";

export type WriteHeaders = { "Idempotency-Key": string };

type Options<R, V> = {
  /** What is read again afterwards, also after a refusal: what was on screen may be what was wrong. */
  changes?: readonly QueryKey[];
  onDone?: (answer: R, variables: V) => void;
};

export function useWrite<R, V = void>(
  send: (variables: V, headers: WriteHeaders) => Promise<R>,
  { changes = [], onDone }: Options<R, V> = {},
) {
  const client = useQueryClient();
  const pending = useRef<{ body: string; key: string } | null>(null);
  return useMutation<R, Error, V>({
    mutationFn: async (variables) => {
      const body = JSON.stringify(variables ?? null);
      if (pending.current?.body !== body) pending.current = { body, key: crypto.randomUUID() };
      try {
        const answer = await send(variables, { "Idempotency-Key": pending.current.key });
        pending.current = null;
        return answer;
      } catch (error) {
        if (error instanceof ApiError && error.status < 500) pending.current = null;
        throw error;
      }
    },
    onSuccess: (answer, variables) => onDone?.(answer, variables),
    onSettled: (_answer, error) => {
      const read = Promise.all(changes.map((queryKey) => client.invalidateQueries({ queryKey })));
      // A refusal is said at once: nobody waits for the network once more to learn that nothing was done.
      return error === null ? read : undefined;
    },
  });
}
