/** `/`: what this service is, its collections, and the first three steps of a developer. */

import { viewCollections } from "../catalog/module.ts";
import { Card, Empty } from "../ui/parts.tsx";
import { words } from "../ui/visitor.ts";
import { bannerOrigins, CollectionCard, readPreviews } from "./collection/collection-list.tsx";
import type { PagesContext, Site } from "./env.ts";
import { render } from "./frame.tsx";
import { formatNumber } from "./text.tsx";

const COLLECTIONS_SHOWN = 6;

const steps = (to: Site["to"]) => [
  {
    title: "Create an app",
    text: "Sign in with a wallet, name the app, and choose its APIs. You get a key at once.",
    href: to("/console"),
  },
  {
    title: "Refresh a token",
    text: "Send the first request from the app’s page, or copy it as a curl command.",
    href: to("/reference#/market-partner/refreshMetadata"),
  },
  {
    title: "Follow what changes",
    text: "Read tokens, traits and trade checks over REST or GraphQL, and receive changes as events.",
    href: to("/reference"),
  },
];

export async function homePage(site: Site, c: PagesContext): Promise<Response> {
  const { all } = site.collections;
  const shown = all.slice(0, COLLECTIONS_SHOWN);
  const [views, previews] = await Promise.all([
    viewCollections(site.catalogModule, shown),
    readPreviews(site, shown),
  ]);
  return render(
    site,
    c,
    {
      title: "Home",
      about: { description: words().home.description, path: "/" },
      width: "gallery",
      sources: { img: bannerOrigins(views) },
    },
    <>
      <section class="hero">
        <h1>Metadata, locks and access for an NFT marketplace</h1>
        <p class="soft">
          Vitrine reads the documents and pictures of tokens, knows which tokens are locked, and says whether
          a token can be traded. Partners refresh their tokens with one request.
        </p>
        <p class="row">
          <a class="button primary" href={site.to("/console")}>
            Create an app
          </a>
          <a class="button" href={site.to("/reference")}>
            API reference
          </a>
        </p>
      </section>
      <section class="stack" aria-labelledby="steps">
        <h2 id="steps">First steps</h2>
        <ol class="grid steps-cards">
          {steps(site.to).map(({ title, text, href }, at) => (
            <li>
              <Card>
                <h3>
                  <a href={href}>{`${at + 1}. ${title}`}</a>
                </h3>
                <p>{text}</p>
              </Card>
            </li>
          ))}
        </ol>
      </section>
      <section class="stack" aria-labelledby="collections">
        <h2 id="collections">Collections</h2>
        {views.length === 0 && <Empty>No collection is configured.</Empty>}
        <ul class="collections">
          {views.map((view, at) => (
            <li>
              <CollectionCard site={site} view={view} tokens={previews[at] ?? []} level="h3" />
            </li>
          ))}
        </ul>
        {all.length > shown.length && (
          <p>
            <a href={site.to("/collections")}>{`All ${formatNumber(all.length)} collections`}</a>
          </p>
        )}
      </section>
    </>,
  );
}
