/** What the creators say about a collection, for writers that must not overwrite each other. */

import type { components } from "./api.ts";
import { type ChainOption, readBody, type Sender } from "./request.ts";

type Schemas = components["schemas"];
export type NewInformation = Schemas["CollectionInformationRequest"];
export type InformationAnswer = Schemas["InformationAnswer"];
export interface InformationState extends InformationAnswer {
  /** Names this state: pass it as `ifMatch`. Undefined where a proxy has removed it. */
  readonly etag: string | undefined;
}

export interface ReplaceOptions extends ChainOption {
  /** The `etag` of the state that the new one is based on. After another writer's change, nothing is written: 412. */
  readonly ifMatch?: string | undefined;
}

const ROUTE = "/market-partner/collections/{collection_address}/information";

const fieldsOf = (collection: string, { chainId, signal }: ChainOption) => ({
  path: { collection_address: collection },
  query: { ...(chainId !== undefined && { chain_id: chainId }) },
  signal,
});

export function informationOf(sender: Sender) {
  return {
    /** What the creators say about a collection, and the tag of this state. */
    information: (collection: string, call: ChainOption = {}): Promise<InformationState> =>
      sender.send(ROUTE, { method: "GET", ...fieldsOf(collection, call) }, async (response) => ({
        ...(await readBody<InformationAnswer>(response)),
        etag: response.headers.get("etag") ?? undefined,
      })),

    /** Replaces all of it: what `information` leaves out is removed. Rejects with `PRECONDITION_FAILED`: see `ifMatch`. */
    replaceInformation: (
      collection: string,
      information: NewInformation,
      { ifMatch, ...call }: ReplaceOptions = {},
    ): Promise<InformationAnswer> =>
      sender.send(
        ROUTE,
        {
          method: "PUT",
          ...fieldsOf(collection, call),
          body: information,
          ...(ifMatch !== undefined && { headers: { "if-match": ifMatch } }),
          // Sent again after it has succeeded, it would be refused for its own change.
          isIdempotent: ifMatch === undefined,
        },
        readBody<InformationAnswer>,
      ),
  };
}
