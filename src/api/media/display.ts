/** What each page shows of a token (spec.md "Display priority"), and what was left out and why. */

export type TokenPageKind = "animation" | "video" | "image" | "none";

export interface Skipped {
  readonly kind: "animation" | "video";
  readonly host: string;
  readonly reason: "host_not_allowed" | "invalid_url";
}

export interface Display {
  readonly collection_page: { readonly kind: "image" | "none"; readonly url: string | null };
  readonly token_page: {
    readonly kind: TokenPageKind;
    readonly url: string | null;
    readonly skipped: readonly Skipped[];
  };
}

export interface MediaFields {
  readonly image: string | null;
  readonly video: string | null;
  readonly animation_url: string | null;
}

/**
 * The collection page shows `image`. The token page shows the first of `animation_url`, `video`, `image` that is
 * given; the first two only from hosts that the operator allows, and what is skipped is listed.
 */
export function chooseDisplay(
  media: MediaFields,
  imageUrl: string | null,
  isAllowed: (host: string) => boolean,
): Display {
  const skipped: Skipped[] = [];
  const candidates = [
    { kind: "animation", url: media.animation_url },
    { kind: "video", url: media.video },
  ] as const;
  const shown = candidates.find(({ kind, url }) => {
    if (url === null) return false;
    const host = hostOf(url);
    if (host === undefined) skipped.push({ kind, host: "", reason: "invalid_url" });
    else if (!isAllowed(host)) skipped.push({ kind, host, reason: "host_not_allowed" });
    else return true;
    return false;
  });
  const image = { kind: imageUrl === null ? ("none" as const) : ("image" as const), url: imageUrl };
  return { collection_page: image, token_page: { ...(shown ?? image), skipped } };
}

/** `host[:port]` of an http(s) URL without credentials. */
function hostOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, host, username, password } = new URL(url);
  return /^https?:$/.test(protocol) && !username && !password ? host : undefined;
}
