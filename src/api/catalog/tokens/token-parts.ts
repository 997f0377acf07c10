/** What a token's view is made of, made once as long as all that goes into it stays the same. */

import { isDeepStrictEqual } from "node:util";
import type { CollectionConfig } from "../../../config.ts";
import type { MediaFields } from "../../media/display/display.ts";
import { chooseDisplay } from "../../media/rules.ts";
import type { ShownMedia } from "../../media/service.ts";
import type { ServedMetadata } from "../../metadata/records/store.ts";
import type { TokenOnChain } from "../../trading/service.ts";
import type { createTraitGrouping, SubmittedGroup } from "../information/trait-groups.ts";
import { withMediaIssues } from "./token-issues.ts";
import type { CountedTraits, TokenParts, TokenView } from "./token-view.ts";

/** All that a token's parts are made of. */
interface Inputs {
  readonly collection: CollectionConfig;
  readonly tokenId: string;
  readonly chain: TokenParts["chain"];
  readonly served: ServedMetadata | undefined;
  readonly isQueued: boolean;
  readonly media: ShownMedia;
  readonly isAllowed: (host: string) => boolean;
  /** Contact for issues that only the operator can resolve. */
  readonly operatorContact: string | undefined;
  /** Those that the collection's creators submitted. */
  readonly groups: readonly SubmittedGroup[];
}

type GroupTraits = ReturnType<typeof createTraitGrouping>;

export interface KeptParts {
  readonly of: Inputs;
  readonly parts: Omit<TokenParts, "counted">;
  /** How they are shown. */
  view?: { readonly counted: CountedTraits; readonly view: TokenView };
}

export const noMedia: MediaFields = { image: null, video: null, animation_url: null };

/** The parts that were made before, if they would be the same; otherwise new ones. */
export const makeOnce = (made: KeptParts | undefined, of: Inputs, groupTraits: GroupTraits): KeptParts =>
  made && isSame(made.of, of) ? made : { of, parts: makeParts(of, groupTraits) };

function makeParts(of: Inputs, groupTraits: GroupTraits): KeptParts["parts"] {
  const { media, isAllowed, operatorContact, groups, ...parts } = of;
  const { image, faults, ends, checked, loaded } = media;
  return {
    ...parts,
    image,
    display: chooseDisplay(loaded, image.url, isAllowed, faults, ends),
    issues: withMediaIssues(of.served?.issues ?? [], {
      fields: loaded,
      checked,
      ends,
      isAllowed,
      isTriedOften: true,
      operatorContact,
    }),
    propertyGroups: groupTraits(of.served?.metadata?.traits ?? [], groups),
  };
}

/** The block that the index has reached changes while the token does not. */
export function withoutHead(state: TokenOnChain | undefined): TokenParts["chain"] {
  if (!state) return undefined;
  const { indexed, ...own } = state;
  return own;
}

// The state is read anew each time; all else is the same object while it is unchanged.
function isSame({ chain, ...fields }: Inputs, other: Inputs): boolean {
  const isSameField = ([name, value]: [string, unknown]): boolean => other[name as keyof Inputs] === value;
  return Object.entries(fields).every(isSameField) && isDeepStrictEqual(chain, other.chain);
}
