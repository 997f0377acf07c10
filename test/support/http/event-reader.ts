/** A client of the event stream, like a browser's EventSource without automatic reconnection. */

import { eventually } from "../eventually.ts";

export interface ReadEvent {
  readonly id: number;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: events are checked field by field
  readonly data: any;
}

export interface EventReader {
  readonly events: ReadEvent[];
  /** Comments, without their colon. */
  readonly comments: string[];
  /** The last `id:`, with or without an event. */
  readonly lastId: number | undefined;
  /** Milliseconds, if the server sent it. */
  readonly retry: number | undefined;
  readonly isOpen: boolean;
  /** Waits for so many events, and returns them. */
  until(count: number, withinMs?: number): Promise<ReadEvent[]>;
  close(): void;
}

/** Throws with the response if it is no stream. */
export async function readEvents(url: string, headers: Record<string, string> = {}): Promise<EventReader> {
  const abort = new AbortController();
  const response = await fetch(url, {
    headers: { accept: "text/event-stream", ...headers },
    signal: abort.signal,
  });
  if (!response.ok || !response.body) throw new Error(`${response.status} ${await response.text()}`);
  const state = {
    events: [] as ReadEvent[],
    comments: [] as string[],
    lastId: undefined as number | undefined,
    retry: undefined as number | undefined,
    isOpen: true,
  };

  function take(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split("\n")) {
      const [, field = "", value = ""] = /^([^:]*): ?(.*)$/.exec(line) ?? [];
      if (field === "") state.comments.push(value);
      else fields.set(field, value);
    }
    const id = fields.get("id");
    if (id !== undefined) state.lastId = Number(id);
    if (fields.has("retry")) state.retry = Number(fields.get("retry"));
    const data = fields.get("data");
    if (data === undefined) return;
    state.events.push({ id: Number(id), event: fields.get("event") ?? "", data: JSON.parse(data) });
  }

  async function read(body: AsyncIterable<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of body) {
      const blocks = (text + decoder.decode(chunk, { stream: true })).split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) take(block);
    }
  }

  read(response.body as unknown as AsyncIterable<Uint8Array>).then(
    () => {
      state.isOpen = false;
    },
    () => {
      state.isOpen = false;
    },
  );
  return {
    get events() {
      return state.events;
    },
    get comments() {
      return state.comments;
    },
    get lastId() {
      return state.lastId;
    },
    get retry() {
      return state.retry;
    },
    get isOpen() {
      return state.isOpen;
    },
    until: (count, withinMs) =>
      eventually(
        () => state.events,
        (events) => events.length >= count,
        withinMs,
      ),
    close: () => abort.abort(),
  };
}
