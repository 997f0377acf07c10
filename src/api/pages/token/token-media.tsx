/** A token's media on its page: its animation, else its video, else its image (spec.md "Display priority"). */

import type { TokenHistory } from "../../catalog/reports/reports.ts";
import type { TokenView } from "../../catalog/tokens/token-view.ts";
import { contentOf } from "../../fetch/locate.ts";
import { fetchReasonTable } from "../../media/rules.ts";
import { type PageSources, policyOrigin } from "../../ui/site.ts";
import { words } from "../../ui/visitor.ts";
import { displayName, PICTURE_PX, Picture, STAGE_SIZES } from "../collection/token-card.tsx";
import { picturePath, type Site, tokenPath } from "../env.ts";
import { Reason, sentenceOf } from "../reason.tsx";
import { Foreign, plain } from "../text.tsx";

/** A gateway may lead to a name for each content, `<CID>.ipfs.<gateway>`, and is as trusted under all of them. */
const contentNames = ({ protocol, host, pathname }: URL): string[] =>
  /\/ipfs\/./.test(pathname) ? [`${protocol}//*.ipfs.${host}`] : [];

/**
 * The foreign origins that the page must allow for its media, if any: that of its URL and that of where the URL leads,
 * which browsers check as well.
 */
export function mediaSources({
  token: { display },
  ends,
}: Pick<TokenHistory, "token" | "ends">): PageSources {
  const { kind, url } = display.token_page;
  if (url === null || (kind !== "animation" && kind !== "video")) return {};
  const origin = policyOrigin(url);
  if (origin === undefined) return {};
  // A policy that names a host by http means it by https, too.
  const end = policyOrigin(`${new URL(origin).protocol}//${ends[kind] ?? ""}`);
  const names = contentOf(url) === undefined ? [] : contentNames(new URL(url));
  const origins = [...new Set([origin, ...(end === undefined ? [] : [end]), ...names])];
  return kind === "animation" ? { frame: origins } : { media: origins };
}

interface MediaProps {
  readonly site: Site;
  readonly token: TokenView;
  /** Shows the image instead of the animation, at the visitor's request. */
  readonly asImage: boolean;
}

export const TokenMedia = ({ site, token, asImage }: MediaProps) => {
  const { skipped, kind, url } = token.display.token_page;
  const { reason, status } = token.image;
  const hasChoice = kind === "animation" && status === "cached";
  const isImage = hasChoice && asImage;
  const what = [isImage ? "image" : kind, url, status, token.image.url].join(" ");
  return (
    <figure class="media">
      <div class="stage" data-what={what}>
        <Shown site={site} token={token} asImage={isImage} />
      </div>
      <figcaption id="caption" class="soft small">
        {hasChoice && <Choice site={site} token={token} asImage={asImage} />}
        {skipped.map((each) => (
          <p>
            {words().media.skipped[each.kind]} <Foreign text={whyNot(each)} max={300} />
          </p>
        ))}
        {reason && (
          <p>
            {imageNote(status)} <Reason text={reason} />
          </p>
        )}
      </figcaption>
    </figure>
  );
};

/** What a reason means for the image: a cached one is shown, although its host no longer gives it. */
function imageNote(status: TokenView["image"]["status"]): string {
  if (status === "pending") return words().media.pending;
  return status === "cached" ? words().media.kept : words().media.notShown;
}

/** A page can't tell whether framed content has loaded, so there is always a link to the image. */
const Choice = ({ site, token, asImage }: MediaProps) => {
  const [before, link, after] = words().media.showImage;
  return (
    <p>
      {asImage ? (
        <a href={site.to(tokenPath(token))}>{words().media.showAnimation}</a>
      ) : (
        <>
          {before} <a href={`${site.to(tokenPath(token))}?show=image`}>{link}</a>
          {after}
        </>
      )}
    </p>
  );
};

const Shown = ({ site, token, asImage }: MediaProps) => {
  const { kind, url } = token.display.token_page;
  const name = plain(displayName(token));
  const canLoad = url !== null && policyOrigin(url) !== undefined;
  if (kind === "animation" && canLoad && !asImage)
    return (
      // Its scripts run in an opaque origin: they reach neither this page nor data stored for its host.
      <iframe
        src={url}
        title={words().media.animation(name)}
        sandbox="allow-scripts"
        referrerpolicy="no-referrer"
        width={PICTURE_PX}
        height={PICTURE_PX}
      />
    );
  if (kind === "video" && canLoad)
    return (
      <video
        src={url}
        poster={picturePath(site, token.image.url)}
        aria-label={words().media.video(name)}
        width={PICTURE_PX}
        height={PICTURE_PX}
        controls
        loop
        muted
        playsinline
        preload="metadata"
      />
    );
  return <Picture site={site} token={token} alt={words().media.image(name)} sizes={STAGE_SIZES} isEager />;
};

const fetchReasons: Readonly<Record<string, string>> = fetchReasonTable;

function whyNot({ reason, host, message }: TokenView["display"]["token_page"]["skipped"][number]): string {
  if (reason === "host_not_allowed")
    return message ? words().media.leadsElsewhere(host) : words().media.notAllowed(host);
  return sentenceOf(reason, message ?? fetchReasons[reason] ?? "");
}
