/** What Ponder loads as its API, and the only file that knows Ponder's virtual modules. */

import { db } from "ponder:api";
import schema from "ponder:schema";
import { graphql } from "ponder";

// Ponder's Vite transforms every TypeScript file on its own, which takes longer than all the rest of the serving half's start.
const bundle = process.env.VITRINE_SERVING_BUNDLE;
const { serve }: typeof import("./serve.ts") = bundle ? await import(bundle) : await import("./serve.ts");

export default await serve((options) => graphql({ db, schema }, options));
