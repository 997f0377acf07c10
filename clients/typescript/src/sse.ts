/** Server-sent events out of bytes (https://html.spec.whatwg.org/multipage/server-sent-events.html). */

export interface SseMessage {
  readonly event: string;
  /** Undefined for a message that only moves `id` or `retry` on, or is a comment. */
  readonly data: string | undefined;
  readonly id: string | undefined;
  /** Milliseconds that the server asks clients to wait before they reconnect. */
  readonly retry: number | undefined;
}

/** The blocks of a stream as they arrive; one that the end cuts off is dropped. Cancels the stream when left. */
export async function* readSse(body: NonNullable<Response["body"]>): AsyncGenerator<SseMessage> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let block: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
      // A carriage return at the end may be half of a line's end.
      const lines = text.split(/\r\n|\n|\r(?!$)/);
      text = lines.pop() ?? "";
      for (const line of lines) {
        if (line !== "") block.push(line);
        else {
          if (block.length > 0) yield messageOf(block);
          block = [];
        }
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function messageOf(lines: readonly string[]): SseMessage {
  const fields = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    const before = name === "data" ? fields.get(name) : undefined;
    fields.set(name, before === undefined ? value : `${before}\n${value}`);
  }
  const retry = fields.get("retry") ?? "";
  return {
    event: fields.get("event") || "message",
    data: fields.get("data"),
    id: fields.get("id"),
    retry: /^\d+$/.test(retry) ? Number(retry) : undefined,
  };
}
