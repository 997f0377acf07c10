/** The `Properties` of a token's page: traits by category, with their share of the collection. */

import type { TokenView } from "../../catalog/tokens/token-view.ts";
import { formatNumber } from "../../ui/numbers.ts";
import { Empty } from "../../ui/parts.tsx";
import { words } from "../../ui/visitor.ts";
import { queryOf } from "../collection/filter-query.ts";
import { collectionPath, type Site } from "../env.ts";
import { formatPercentage, formatValue, plain, Value } from "../text.tsx";

// Servers and proxies refuse longer URLs, of a few KiB more or less.
const LINK_MAX = 4_000;

type TraitView = TokenView["traits"][number];

function emptyText({ version, status }: TokenView["metadata"]): string {
  const { properties } = words();
  if (version !== null) return properties.none;
  return status === "failed" ? properties.notRead : properties.notReadYet;
}

/** The base of the percentages: the collection's listed tokens, as many as when they were counted. */
function baseText(traits: readonly TraitView[]): string {
  const counted = traits.find(({ percentage }) => percentage > 0);
  if (!counted) return words().properties.listed;
  const listed = Math.round((counted.count * 100) / counted.percentage);
  return words().properties.listedOf(listed, formatNumber(listed));
}

export const Properties = ({ site, token }: { site: Site; token: TokenView }) => (
  <section class="properties" aria-labelledby="properties">
    <h2 id="properties">{words().properties.title}</h2>
    {token.traits.length > 0 && <p class="soft small">{words().properties.shares(baseText(token.traits))}</p>}
    {token.traits.length === 0 && <Empty>{emptyText(token.metadata)}</Empty>}
    {token.property_groups.map(({ category, traits }) => (
      <div class="category">
        <h3>
          <Value text={category} max={100} />
        </h3>
        <ul class="traits">
          {traits
            .flatMap((name) => token.traits.filter(({ trait_type }) => trait_type === name))
            .map((trait) => (
              <li>
                <Trait trait={trait} href={`${site.to(collectionPath(token))}?${queryOf(trait)}`} />
              </li>
            ))}
        </ul>
      </div>
    ))}
  </section>
);

/** Links to the tokens with the same value, unless it is too long for a URL. */
const Trait = ({ trait, href }: { trait: TraitView; href: string }) => {
  const { trait_type, display_type, value, max_value, count, percentage } = trait;
  const portion = portionOf(trait);
  const content = (
    <>
      <span class="trait-type">
        <Value text={trait_type} max={80} />
      </span>
      <span class="trait-value">
        {display_type === "date" && typeof value === "number" ? (
          <time datetime={new Date(value * 1000).toISOString()}>{formatValue(trait)}</time>
        ) : (
          <span title={plain(formatValue(trait))}>
            <Value text={formatValue(trait)} max={200} />
          </span>
        )}
        {max_value !== null && (
          <span class="soft">{words().properties.maximum(formatNumber(max_value))}</span>
        )}
      </span>
      {portion !== undefined && (
        <svg class="portion" aria-hidden="true" width="100%" height="4">
          <rect class="track" width="100%" height="4" rx="2" />
          <rect class="filled" width={`${portion * 100}%`} height="4" rx="2" />
        </svg>
      )}
      <span class="trait-share">
        {words().properties.share(count, formatNumber(count), formatPercentage(percentage))}
      </span>
    </>
  );
  if (href.length > LINK_MAX) return <div class="trait">{content}</div>;
  return (
    <a class="trait" href={href}>
      {content}
    </a>
  );
};

/** A number as a fraction of its maximum, 0 to 1; undefined where that says nothing. */
function portionOf({ value, max_value }: TraitView): number | undefined {
  if (typeof value !== "number" || max_value === null || max_value <= 0) return undefined;
  return Math.min(1, Math.max(0, value / max_value));
}
