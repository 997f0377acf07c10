/** All that is asked, surface by surface. Later ones see what earlier ones changed. */

import type { Request } from "../request.ts";
import { market } from "./market.ts";
import { registry } from "./registry.ts";
import { site } from "./site.ts";

export const surfaces: Readonly<Record<string, readonly Request[]>> = { site, market, registry };
