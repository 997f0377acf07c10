/** What each API is for, in the words of the console. */

import type { ApiName } from "../../http/key.ts";

export const purposes: Readonly<Record<ApiName, string>> = {
  "market-partner": "For partners: refresh metadata, read reports, write collection information",
  market: "What a marketplace reads: collections, tokens, trade checks, events",
};
