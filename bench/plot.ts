/** A plot of how a cost grows, as SVG: both axes from a table of points, the horizontal one logarithmic. */

export interface Series {
  readonly title: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

const WIDTH = 340;
const HEIGHT = 220;
const MARGIN = { left: 56, right: 16, top: 34, bottom: 36 };

const amount = (value: number): string =>
  value >= 1_000_000 ? `${value / 1_000_000}M` : value >= 1_000 ? `${value / 1_000}k` : String(value);

/** The plots side by side. A flat line is a cost that does not grow. */
export function drawPlots(plots: readonly Series[]): string {
  const width = WIDTH * plots.length;
  const drawn = plots.map((series, nth) => `<g transform="translate(${nth * WIDTH} 0)">${draw(series)}</g>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${HEIGHT}" width="${width}" height="${HEIGHT}" font-family="sans-serif" font-size="11">
<title>${plots.map(({ title }) => title).join(", ")}</title>
<rect width="100%" height="100%" fill="#fff"/>
${drawn.join("\n")}
</svg>
`;
}

function draw({ title, points }: Series): string {
  const logs = points.map(({ x }) => Math.log10(x));
  const [low, high] = [Math.min(...logs), Math.max(...logs)];
  // From zero, or a small difference would look like growth.
  const top = Math.max(...points.map(({ y }) => y)) * 1.2 || 1;
  const bottomY = HEIGHT - MARGIN.bottom;
  const placeOf = ({ x, y }: Series["points"][number]): [number, number] => {
    const share = high === low ? 0.5 : (Math.log10(x) - low) / (high - low);
    const across = MARGIN.left + share * (WIDTH - MARGIN.left - MARGIN.right);
    return [across, bottomY - (y / top) * (bottomY - MARGIN.top)].map(Math.round) as [number, number];
  };
  const marks = points.map((point) => {
    const [x, y] = placeOf(point);
    return `<circle cx="${x}" cy="${y}" r="3" fill="#0b6"/><text x="${x}" y="${y - 8}" text-anchor="middle">${amount(Number(point.y.toPrecision(3)))}</text><text x="${x}" y="${bottomY + 16}" text-anchor="middle">${amount(point.x)}</text>`;
  });
  return [
    `<text x="${MARGIN.left}" y="16" font-weight="bold">${title}</text>`,
    `<path d="M${MARGIN.left} ${MARGIN.top}V${bottomY}H${WIDTH - MARGIN.right}" fill="none" stroke="#888"/>`,
    `<polyline points="${points.map((point) => placeOf(point).join(",")).join(" ")}" fill="none" stroke="#0b6" stroke-width="2"/>`,
    ...marks,
  ].join("\n");
}
