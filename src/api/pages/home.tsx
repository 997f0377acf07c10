/** `/`: what this service is, its collections, and the first three steps of a developer. */

import { viewCollections } from "../catalog/module.ts";
import { formatNumber } from "../ui/numbers.ts";
import { Card, Empty } from "../ui/parts.tsx";
import { words } from "../ui/visitor.ts";
import { bannerOrigins, CollectionCard, readPreviews } from "./collection/collection-list.tsx";
import { isEveryIndexReady, type PagesContext, type Site } from "./env.ts";
import { NotAllReady, render } from "./frame.tsx";

const COLLECTIONS_SHOWN = 6;

const steps = (to: Site["to"]) => {
  const { home } = words();
  return [
    { title: home.create, text: home.createText, href: to("/console") },
    { title: home.refresh, text: home.refreshText, href: to("/console") },
    { title: home.follow, text: home.followText, href: to("/reference") },
  ];
};

export async function homePage(site: Site, c: PagesContext): Promise<Response> {
  const { home, layout } = words();
  const { all } = site.collections;
  const shown = all.slice(0, COLLECTIONS_SHOWN);
  const [views, previews, isReady] = await Promise.all([
    viewCollections(site.catalogModule, shown),
    readPreviews(site, shown),
    isEveryIndexReady(site),
  ]);
  return render(
    site,
    c,
    {
      title: home.title,
      about: { description: home.description, path: "/" },
      width: "gallery",
      isScriptLate: true,
      sources: { img: bannerOrigins(views) },
    },
    <>
      <section class="hero">
        <h1>{home.title}</h1>
        <p class="soft">{home.lead}</p>
        <p class="row">
          <a class="button primary" href={site.to("/console")}>
            {home.create}
          </a>
          <a class="button" href={site.to("/reference")}>
            {layout.reference}
          </a>
        </p>
      </section>
      <section class="stack" aria-labelledby="steps">
        <h2 id="steps">{home.steps}</h2>
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
        <h2 id="collections">{layout.collections}</h2>
        {!isReady && <NotAllReady />}
        {views.length === 0 && <Empty>{words().collections.none}</Empty>}
        <ul class="collections">
          {views.map((view, at) => (
            <li>
              <CollectionCard site={site} view={view} tokens={previews[at] ?? []} level="h3" />
            </li>
          ))}
        </ul>
        {all.length > shown.length && (
          <p>
            <a href={site.to("/collections")}>{home.all(formatNumber(all.length))}</a>
          </p>
        )}
      </section>
    </>,
  );
}
