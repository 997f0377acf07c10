/** The requests that are being answered, so that what takes long can name those that wait for it. */

const NAMED_MAX = 5;

// When each began (`performance.now()`), in that order.
const inFlight = new Map<string, number>();

/** Call `requestEnded` whatever comes of the request. Two functions: a wrapper's promise would cost a short answer more than both. */
export function requestBegan(id: string, at: number): void {
  inFlight.set(id, at);
}

export function requestEnded(id: string): void {
  inFlight.delete(id);
}

/** The ids of the oldest requests, five at most, that were being answered at that time and still are. */
export function requestsSince(at: number): readonly string[] {
  const ids: string[] = [];
  for (const [id, startedAt] of inFlight) {
    if (startedAt > at || ids.length === NAMED_MAX) break;
    ids.push(id);
  }
  return ids;
}
