/** What a token's page shows of it: its animation, else its video, else its image (spec.md "Display priority"). */

import type { TokenView } from "../catalog/token-view.ts";
import { fetchReasonTable, refusalTable } from "../media/reasons.ts";
import { type PageSources, policyOrigin } from "../ui/site.ts";
import { picturePath, type Site } from "./env.ts";
import { Foreign, plain } from "./text.tsx";
import { nameOf, PICTURE_PX, Picture } from "./token-card.tsx";

/** The one origin that the page must let in for what it shows, if it is not ours. */
export function mediaSources({ display }: TokenView): PageSources {
  const { kind, url } = display.token_page;
  const origin = policyOrigin(url ?? "");
  if (origin === undefined || (kind !== "animation" && kind !== "video")) return {};
  return kind === "animation" ? { frame: [origin] } : { media: [origin] };
}

export const TokenMedia = ({ site, token }: { site: Site; token: TokenView }) => {
  const { skipped } = token.display.token_page;
  const { reason, status } = token.image;
  return (
    <figure class="media">
      <div class="stage">
        <Shown site={site} token={token} />
      </div>
      {(skipped.length > 0 || reason) && (
        <figcaption class="soft small">
          {skipped.map((each) => (
            <p>
              {`The ${each.kind} is not shown: `}
              <Foreign text={whyNot(each)} max={300} />
            </p>
          ))}
          {reason && (
            <p>
              {status === "pending" ? "The image could not be fetched yet: " : "The image is not shown: "}
              <Foreign text={reason} max={300} />
            </p>
          )}
        </figcaption>
      )}
    </figure>
  );
};

const Shown = ({ site, token }: { site: Site; token: TokenView }) => {
  const { kind, url } = token.display.token_page;
  const name = plain(nameOf(token));
  const canLoad = url !== null && policyOrigin(url) !== undefined;
  if (kind === "animation" && canLoad)
    return (
      // Its scripts run in an origin of their own: they reach neither this page nor anything stored for its host.
      <iframe
        src={url}
        title={`Animation of ${name}`}
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
        aria-label={`Video of ${name}`}
        width={PICTURE_PX}
        height={PICTURE_PX}
        controls
        loop
        muted
        playsinline
        preload="metadata"
      />
    );
  return <Picture site={site} token={token} alt={`Image of ${name}`} isEager />;
};

const reasons: Readonly<Record<string, string>> = { ...refusalTable, ...fetchReasonTable };

function whyNot({ reason, host, message }: TokenView["display"]["token_page"]["skipped"][number]): string {
  if (reason === "host_not_allowed") return `the operator has not allowed its host, ${host}.`;
  // The table marks the names of fields for documents, with backticks.
  return [(reasons[reason] ?? `${reason}.`).replaceAll("`", ""), message].filter(Boolean).join(" ");
}
