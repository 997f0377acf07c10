/** The size of cards: two buttons of a form, which the script of all pages sends without leaving the page. */

import type { To } from "../../ui/site.ts";
import { type Density, densities, visitor } from "../../ui/visitor.ts";

// Columns and rows of the icon.
const CELLS: Record<Density, number> = { roomy: 2, dense: 3 };
const SIDE = 18;
const GAP = 2;

const Icon = ({ cells }: { cells: number }) => {
  const size = (SIDE - GAP * (cells - 1)) / cells;
  const at = Array.from({ length: cells }, (_, nth) => nth * (size + GAP));
  return (
    <svg width={SIDE} height={SIDE} viewBox={`0 0 ${SIDE} ${SIDE}`} fill="currentColor" aria-hidden="true">
      {at.flatMap((y) => at.map((x) => <rect x={x} y={y} width={size} height={size} rx="1" />))}
    </svg>
  );
};

/** Its form stands beside the form of the filters, because a form holds no other. */
export const DensitySwitch = () => {
  const { density, words } = visitor();
  return (
    <fieldset class="density">
      <legend class="visually-hidden">{words.density.title}</legend>
      {densities.map((each) => (
        <button
          type="submit"
          form="density"
          name="density"
          value={each}
          class="icon-button"
          aria-label={words.density[each]}
          aria-pressed={each === density ? "true" : "false"}
          title={words.density[each]}
        >
          <Icon cells={CELLS[each]} />
        </button>
      ))}
    </fieldset>
  );
};

export const DensityForm = ({ to }: { to: To }) => (
  <form id="density" method="post" action={to("/preferences")} hidden />
);
