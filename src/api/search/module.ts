/** Search over whole collections: pages, facets and counts. */

export { createSearch } from "./service.ts";
