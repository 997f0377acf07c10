/** What a collection's page and its tokens' properties would show, for the form that edits them. */

import type { CollectionView } from "../catalog/collection-view.ts";
import type { TokenView } from "../catalog/tokens/token-view.ts";
import type { To } from "../ui/site.ts";
import { CollectionHead, headSources } from "./collection/collection-head.tsx";
import type { Site } from "./env.ts";
import { Properties } from "./token/token-properties.tsx";

/** Where the images of the preview come from, for the page's content policy. */
export const previewSources = headSources;

/** The sheet that the page around the preview needs. */
export const PREVIEW_STYLE = "/collections/files/pages.css";

export const CollectionPreview = ({
  to,
  view,
  token,
}: {
  to: To;
  view: CollectionView;
  token: TokenView | undefined;
}) => {
  // Of everything that pages have, these parts need links only.
  const site = { to } as Site;
  return (
    <div class="preview">
      <CollectionHead site={site} view={view} />
      {token && <Properties site={site} token={token} />}
    </div>
  );
};
