/** The filters in use, each with a link that removes it. */

import { formatNumber } from "../../ui/numbers.ts";
import { words } from "../../ui/visitor.ts";
import { Foreign } from "../text.tsx";
import { type Asked, chipsOf, withoutConditions } from "./filter-query.ts";
import type { PanelFacets } from "./panel-facets.ts";

export const Chips = ({ asked, facets, path }: { asked: Asked; facets: PanelFacets; path: string }) => {
  const { filters, text: texts } = words();
  const chips = chipsOf(asked);
  const count = asked.conditions.length;
  return (
    <ul id="chips" class="chips" aria-label={filters.inUse}>
      {chips.map(({ trait, text, without }) => (
        <li>
          <a class="chip" href={without ? `${path}?${without}` : path}>
            <span class="visually-hidden">{filters.remove} </span>
            {trait !== undefined && (
              <span class="soft">
                <Foreign text={trait} max={40} />
              </span>
            )}
            <Foreign text={chipText(facets, trait, text)} max={60} />
            <span aria-hidden="true">×</span>
          </a>
        </li>
      ))}
      {count > chips.length && (
        <li class="soft small">{texts.andMore(formatNumber(count - chips.length))}</li>
      )}
      {count > 1 && (
        <li>
          <a class="chip plain" href={clearedPath(path, asked)}>
            {filters.clearAll}
          </a>
        </li>
      )}
    </ul>
  );
};

/** The collection without any filter, in the same order. */
export function clearedPath(path: string, asked: Asked): string {
  const query = withoutConditions(asked);
  return query ? `${path}?${query}` : path;
}

/** A trait's value as its facet shows it. */
function chipText({ traits }: PanelFacets, trait: string | undefined, text: string): string {
  const isBool = traits.some((each) => each.trait_type === trait && each.display_type === "bool");
  if (isBool && (text === "true" || text === "false"))
    return text === "true" ? words().text.yes : words().text.no;
  return text || words().text.empty;
}
