/** The filter panel, built from the facets: choices for text, yes or no, and ranges of numbers and days. */

import { hash } from "node:crypto";
import { raw } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import { formatNumber } from "../../ui/numbers.ts";
import { words } from "../../ui/visitor.ts";
import type { Words } from "../../ui/words/languages.ts";
import { formatDate, formatValue, plain, Value, ValueLine } from "../text.tsx";
import { type Asked, dayOf, type Entry, fieldOf } from "./filter-query.ts";
import {
  isRange,
  isShortValue,
  offeredIn,
  type PanelFacet,
  type PanelFacets,
  unlistedCount,
} from "./panel-facets.ts";

const OPEN_TRAITS = 5;
const VALUES_MAX = 40;
// As many choices as one can take in at a glance; the rest are one step away.
const VALUES_AT_ONCE = 8;
// Only a URL can choose what the panel doesn't list, and it has room for hundreds.
const UNLISTED_MAX = 20;

/** A field keeps its id when the panel is redrawn, so that it can keep the focus. */
const idOf = (...parts: readonly string[]): string =>
  `f-${hash("sha256", JSON.stringify(parts), "base64url").slice(0, 12)}`;

export const FilterPanel = ({ facets, asked }: { facets: PanelFacets; asked: Asked }) => {
  const { traits } = facets;
  const inUse = new Set(asked.conditions.map(({ trait }) => trait));
  const isAsked = (facet: PanelFacet): boolean => inUse.has(facet.trait_type);
  const offered = offeredIn(traits);
  const shown = [...offered, ...traits.filter((facet) => !offered.includes(facet) && isAsked(facet))];
  return (
    <>
      <LockFilter asked={asked} />
      {shown.map((facet, at) => (
        <details class="facet" id={idOf("facet", facet.trait_type)} open={at < OPEN_TRAITS || isAsked(facet)}>
          <summary>
            <h3>
              <Value text={facet.trait_type} max={60} />
            </h3>
            {isAsked(facet) && <span class="dot">{words().filters.used}</span>}
          </summary>
          <fieldset>
            <legend class="visually-hidden">{plain(facet.trait_type)}</legend>
            {isRange(facet) ? <RangeFilter facet={facet} asked={asked} /> : choicesOf(facet, asked)}
          </fieldset>
        </details>
      ))}
      {traits.length > shown.length && (
        <p class="soft small">{words().filters.moreTraits(traits.length - shown.length)}</p>
      )}
      <OwnerFilter asked={asked} />
      {extras(asked, shown).map((entry) => (
        <Hidden entry={entry} />
      ))}
    </>
  );
};

const Hidden = ({ entry }: { entry: Entry }) => {
  const [name, value] = fieldOf(entry);
  return <input type="hidden" name={name} value={value} />;
};

/** Conditions without a field in the panel, for example if nothing matches: they stay until their chip is removed. */
function extras({ filter, field }: Asked, shown: readonly PanelFacet[]): Entry[] {
  const has = (name: string, range: boolean): boolean =>
    shown.some((facet) => facet.trait_type === name && isRange(facet) === range);
  const chosen = filter.criteria
    .filter(({ name }) => !has(name, false))
    .flatMap(({ name, values }) => values.map((value): Entry => [`is:${name}`, value]));
  const ends = filter.ranges
    .filter(({ name }) => !has(name, true))
    .flatMap(({ name }) => [`from:${name}`, `to:${name}`])
    .map((name): Entry => [name, field(name)]);
  return [...chosen, ...ends.filter(([, value]) => value !== "")];
}

const LOCK_CHOICES = [
  ["", "all"],
  ["false", "unlocked"],
  ["true", "locked"],
] as const;

const LockFilter = ({ asked }: { asked: Asked }) => (
  <fieldset class="facet" id="lock">
    <legend>{words().filters.lock}</legend>
    <div class="segments">
      {LOCK_CHOICES.map(([value, text]) => (
        <label>
          <input
            type="radio"
            id={idOf("locked", value)}
            name="locked"
            value={value}
            checked={asked.field("locked") === value}
          />
          <span>{words().filters[text]}</span>
        </label>
      ))}
    </div>
  </fieldset>
);

const OwnerFilter = ({ asked }: { asked: Asked }) => (
  <div class="facet field" id="owned">
    <label for="owner">{words().filters.owner}</label>
    <input
      type="text"
      class="mono"
      id="owner"
      name="owner"
      value={asked.field("owner")}
      placeholder="0x…"
      autocomplete="off"
      spellcheck={false}
      maxlength={42}
    />
  </div>
);

/** Choices of which none is chosen, as last written: most of a panel, and the same for most visitors of a language. */
const written = new WeakMap<PanelFacet, { readonly words: Words; readonly html: HtmlEscapedString }>();

function choicesOf(facet: PanelFacet, { filter }: Asked) {
  const chosen = filter.criteria.find(({ name }) => name === facet.trait_type)?.values;
  if (chosen) return <Choices facet={facet} chosen={chosen} />;
  const known = written.get(facet);
  if (known?.words === words()) return known.html;
  const html = raw((<Choices facet={facet} chosen={[]} />).toString());
  written.set(facet, { words: words(), html });
  return html;
}

const Choices = ({ facet, chosen }: { facet: PanelFacet; chosen: readonly string[] }) => {
  const { trait_type, display_type, values, values_total } = facet;
  const known = values
    .slice(0, VALUES_MAX)
    .filter(({ value }) => isShortValue(String(value)))
    .map(({ value, count }) => ({
      text: String(value),
      label: formatValue({ display_type, value }),
      count,
    }));
  const unlisted = { count: unlistedCount(facet) };
  const others = chosen.filter((text) => !known.some((each) => each.text === text));
  const missing = others.slice(0, UNLISTED_MAX).map((text) => ({
    text,
    label: text,
    count: (values.find(({ value }) => String(value) === text) ?? unlisted).count,
  }));
  const all = [...known, ...missing];
  // A chosen value keeps its place; it would move from under the pointer otherwise.
  const [first, rest] = [all.slice(0, VALUES_AT_ONCE), all.slice(VALUES_AT_ONCE)];
  const fieldsOf = (text: string) => {
    const [name, value] = fieldOf([`is:${trait_type}`, text]);
    return { name, value };
  };
  const list = (choices: typeof all) => (
    <ul class={display_type === "bool" ? "choices two" : "choices"}>
      {choices.map(({ text, label, count }) => (
        <li>
          <label>
            <input
              type="checkbox"
              id={idOf("is", trait_type, text)}
              {...fieldsOf(text)}
              checked={chosen.includes(text)}
            />
            <ValueLine class="choice" text={label} max={80} />
            {count !== undefined && <span class="count">{formatNumber(count)}</span>}
          </label>
        </li>
      ))}
    </ul>
  );
  return (
    <>
      {list(first)}
      {rest.length > 0 && (
        <details
          class="rest"
          id={idOf("rest", trait_type)}
          open={rest.some(({ text }) => chosen.includes(text))}
        >
          <summary>{words().filters.moreValues(rest.length)}</summary>
          {list(rest)}
        </details>
      )}
      {others.slice(UNLISTED_MAX).map((text) => (
        <Hidden entry={[`is:${trait_type}`, text]} />
      ))}
      {values_total > all.length && (
        <p class="soft small">
          {words().filters.rarerValues(values_total - all.length, formatNumber(values_total - all.length))}
        </p>
      )}
    </>
  );
};

const RangeFilter = ({ facet, asked }: { facet: PanelFacet; asked: Asked }) => {
  const { trait_type, display_type } = facet;
  const [min, max] = [facet.min ?? 0, facet.max ?? 0];
  const { filters } = words();
  const isDate = display_type === "date";
  const step = stepOf(facet);
  const name = plain(trait_type);
  const ends = [
    { end: "from", text: isDate ? filters.from : filters.lowest, bound: min },
    { end: "to", text: isDate ? filters.to : filters.highest, bound: max },
  ];
  const textOf = (end: string): string => {
    const text = asked.field(`${end}:${trait_type}`);
    return isDate && /^-?\d+$/.test(text) ? dayOf(Number(text)) : text;
  };
  return (
    <div class="range">
      {!isDate && max > min && Number.isFinite(max - min) && (
        // The script shows them and keeps them in step with the fields.
        <div class="sliders" hidden data-step={step}>
          {ends.map(({ end, text, bound }) => (
            <input
              type="range"
              id={idOf("slider", end, trait_type)}
              data-end={end}
              min={exact(Math.floor(min / step) * step)}
              max={exact(Math.ceil(max / step) * step)}
              step={step}
              value={textOf(end) || String(bound)}
              aria-label={`${name}, ${text.toLowerCase()}`}
            />
          ))}
        </div>
      )}
      <div class="ends">
        {ends.map(({ end, text, bound }) => (
          <label>
            <span>{text}</span>
            <input
              type={isDate ? "date" : "number"}
              id={idOf(end, trait_type)}
              name={fieldOf([`${end}:${trait_type}`, ""])[0]}
              data-end={end}
              value={textOf(end)}
              placeholder={isDate ? undefined : String(bound)}
              step={isDate ? undefined : "any"}
            />
          </label>
        ))}
      </div>
      {isDate && facet.min !== null && (
        <p class="soft small">{filters.between(formatDate(min), formatDate(max))}</p>
      )}
    </div>
  );
};

const STEPS = 100;

/** A slider's step: a power of ten that gives some hundred steps; a whole number if all values are. */
function stepOf({ values, min, max }: PanelFacet): number {
  const step = 10 ** Math.floor(Math.log10(((max ?? 0) - (min ?? 0)) / STEPS));
  return values.every(({ value }) => Number.isInteger(value)) ? Math.max(1, step) : step;
}

/** Removes binary rounding: 0.3, not 0.30000000000000004. */
const exact = (value: number): number => Number(value.toPrecision(12));
