import { ms } from '../measure/rows.ts';
import type { Line } from './measure-growth.ts';

const WIDTH = 860;
const HEIGHT = 460;
const LEFT = 64;
const RIGHT = 230;
const TOP = 24;
const BOTTOM = 52;
/** Between two labels at the end of lines, at least. */
const LABEL = 17;
/** Told apart in light and dark, also by those who see some colours alike. */
const COLORS = ['#d55e00', '#0072b2', '#009e73', '#cc79a7', '#b58900', '#56b4e9', '#8a6fd1', '#7f7f7f'];

/** A plot of what calls cost by the size of the vault, both in powers of ten, as SVG that reads on light and dark pages. */
export function drawGrowth(sizes: readonly number[], lines: readonly Line[]): string {
  const all = lines.flatMap(({ costs }) => costs);
  const [least, most] = [10 ** Math.floor(Math.log10(Math.min(...all))), 10 ** Math.ceil(Math.log10(Math.max(...all)))];
  const [few = 1, many = 10] = [sizes[0], sizes.at(-1)];
  const x = (size: number): number => scaled(size, [few, Math.max(many, few * 10)], [LEFT, WIDTH - RIGHT]);
  const y = (cost: number): number => scaled(cost, [least, most], [HEIGHT - BOTTOM, TOP]);
  const last = ({ costs }: Line): number => costs.at(-1) ?? least;
  const places = apart(lines.map((line) => y(last(line))));
  const drawn = lines.map((line, index) => {
    const color = COLORS[index % COLORS.length] ?? '';
    const points = line.costs.map((cost, at) => [x(sizes[at] ?? few), y(cost)] as const);
    const dots = points.map(([px, py]) => `<circle cx="${round(px)}" cy="${round(py)}" r="3" fill="${color}"/>`).join('');
    const path = points.map(([px, py]) => `${round(px)},${round(py)}`).join(' ');
    const label = `${line.name} · ${ms(last(line))}`;
    return `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="2"/>${dots}<text x="${WIDTH - RIGHT + 12}" y="${round((places[index] ?? 0) + 4)}" fill="${color}">${label}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img">`,
    '<title>CPU time of a call by the number of notes</title>',
    // The page's own colours cannot be asked for in an image: grey that reads on either, and a ground of its own for each.
    '<style>text{font:13px system-ui,sans-serif}.axis{fill:#57606a}.grid{stroke:#8b949e;stroke-opacity:.3}.ground{fill:#fff}@media(prefers-color-scheme:dark){.ground{fill:#0d1117}.axis{fill:#9da7b3}}</style>',
    `<rect class="ground" width="${WIDTH}" height="${HEIGHT}"/>`,
    ...powers(least, most).map(
      (cost) => grid([LEFT, y(cost)], [WIDTH - RIGHT, y(cost)]) + axis(LEFT - 8, y(cost) + 4, 'end', milliseconds(cost)),
    ),
    ...sizes.map(
      (size) => grid([x(size), TOP], [x(size), HEIGHT - BOTTOM]) + axis(x(size), HEIGHT - BOTTOM + 20, 'middle', size.toLocaleString('en')),
    ),
    axis((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, 'middle', 'notes in the vault'),
    ...drawn,
    '</svg>\n',
  ].join('\n');
}

/** Where a value lies between two others, by its logarithm. */
function scaled(value: number, [from, to]: readonly [number, number], [start, end]: readonly [number, number]): number {
  return start + (Math.log(value / from) / Math.log(to / from)) * (end - start);
}

function powers(least: number, most: number): number[] {
  const found: number[] = [];
  for (let power = least; power <= most * 1.01; power *= 10) found.push(power);
  return found;
}

/** Heights of labels moved apart, in the order given, so that none covers another. */
function apart(heights: readonly number[]): number[] {
  const order = [...heights.keys()].sort((a, b) => (heights[a] ?? 0) - (heights[b] ?? 0));
  const places = [...heights];
  let free = TOP;
  for (const index of order) {
    places[index] = Math.max(heights[index] ?? 0, free);
    free = (places[index] ?? 0) + LABEL;
  }
  const over = Math.max(0, free - LABEL - (HEIGHT - BOTTOM));
  return places.map((place) => place - over);
}

const round = (value: number): string => value.toFixed(1);
const milliseconds = (value: number): string => `${value < 1 ? value.toFixed(Math.round(-Math.log10(value))) : value} ms`;
const grid = ([x1, y1]: readonly [number, number], [x2, y2]: readonly [number, number]): string =>
  `<line class="grid" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"/>`;
const axis = (x: number, y: number, anchor: string, text: string): string =>
  `<text class="axis" x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${text}</text>`;
