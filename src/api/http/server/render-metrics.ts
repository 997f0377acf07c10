/** Metrics are the same for whoever asks within a second: rendering them takes milliseconds of the event loop. */

import type { Registry } from "prom-client";

/** Makes `registry.metrics()` render at most once in `everyMs`; what it rendered last is the answer meanwhile. */
export function renderAtMostEvery(
  registry: Pick<Registry, "metrics">,
  everyMs: number,
  now = Date.now,
): void {
  const render = registry.metrics.bind(registry);
  let kept: { readonly at: number; readonly text: Promise<string> } | undefined;
  registry.metrics = () => {
    if (kept && now() - kept.at < everyMs) return kept.text;
    const text = render();
    const made = { at: now(), text };
    kept = made;
    // Whoever asks next after a failure has it tried again.
    text.catch(() => {
      if (kept === made) kept = undefined;
    });
    return text;
  };
}
