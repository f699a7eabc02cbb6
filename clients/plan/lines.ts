/** Lines of an answer as they come, some at a time, whatever pieces its bytes come in. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string[], void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let partial = "";
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const lines = (partial + decoder.decode(next.value, { stream: true })).split("\n");
      partial = lines.pop() as string;
      if (lines.length > 0) yield lines;
    }
  } finally {
    // Whoever has seen enough lets go of the connection.
    reader.cancel().catch(() => {});
  }
  const rest = partial + decoder.decode();
  if (rest !== "") yield [rest];
}
