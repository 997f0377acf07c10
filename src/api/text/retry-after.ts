/** The header Retry-After (RFC 9110, 10.2.3). */

/**
 * The milliseconds that it asks for, in seconds or as a date: 0 if those are past, and undefined for anything else. Numbers
 * of any kind count, since servers send fractions too; whoever asks sets an upper limit.
 */
export function parseRetryAfter(header: string | null | undefined): number | undefined {
  if (header === null || header === undefined || header.trim() === "") return undefined;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000;
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0);
}
