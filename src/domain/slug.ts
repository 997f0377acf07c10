/** What a collection's slug may be: it stands wherever the address does. */

const CHARACTERS_MAX = 200;
const CHARACTERS = /^[a-z0-9_-]+$/;
const LIKE_ADDRESS = /^(0x[0-9a-f]*|[0-9a-f]{40})$/;

export const SLUG_RULE = `1 to ${CHARACTERS_MAX} of a-z, 0-9, - and _`;

/** Rather a mistyped address than the slug of a collection that is not served. */
export const isLikeAddress = (text: string): boolean => LIKE_ADDRESS.test(text);

/** What a text must be to be a slug; undefined for one that is. */
export function faultOfSlug(text: string): string | undefined {
  if (!CHARACTERS.test(text)) return "must be of a-z, 0-9, - and _";
  if (text.length > CHARACTERS_MAX) return `must have at most ${CHARACTERS_MAX} characters`;
  if (isLikeAddress(text)) return "must not look like an address (0x and hex digits, or 40 hex digits)";
  return undefined;
}
