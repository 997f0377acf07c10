/** The requests that are being answered, so that what takes long can name those that wait for it. */

const NAMED_MAX = 5;

interface RequestInFlight {
  readonly id: string;
  readonly startedAt: number;
}

// In the order of their starts.
const inFlight = new Set<RequestInFlight>();

/** Runs `answer` as the request with this id. */
export async function trackRequest(id: string, answer: () => Promise<void>): Promise<void> {
  const request = { id, startedAt: performance.now() };
  inFlight.add(request);
  try {
    await answer();
  } finally {
    inFlight.delete(request);
  }
}

/** The ids of the oldest requests, five at most, that were being answered at that time (`performance.now()`) and still are. */
export function requestsSince(startedAt: number): readonly string[] {
  const ids: string[] = [];
  for (const request of inFlight) {
    if (request.startedAt > startedAt || ids.length === NAMED_MAX) break;
    ids.push(request.id);
  }
  return ids;
}
