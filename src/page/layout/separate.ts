export interface Circles {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly radius: Float64Array;
  /** Mobility of each circle; by default all may move. */
  readonly mobility?: Float64Array;
}

const ITERATIONS = 12;
/** Grid cells per circle. */
const CELLS_PER_CIRCLE = 4;

/** Separates overlapping circles with minimal movement; immobile ones stay, and others move around them. Yields after each round. */
export function* separate({ x, y, radius, mobility }: Circles, order: Int32Array): Generator<void, void> {
  for (let round = 0; round < ITERATIONS; round += 1) {
    const grid = openGrid({ x, y, radius }, order);
    let moved = 0;
    for (const node of order) {
      const reach = radius[node]! * 2;
      const [left, right] = [grid.column(x[node]! - reach), grid.column(x[node]! + reach)];
      const [top, bottom] = [grid.row(y[node]! - reach), grid.row(y[node]! + reach)];
      const own = mobility?.[node] ?? 1;
      for (let row = top; row <= bottom; row += 1)
        for (let at = grid.first[row * grid.columns + left]!; at < grid.first[row * grid.columns + right + 1]!; at += 1) {
          const other = grid.held[at]!;
          // Each pair once, by the larger of the two.
          if (radius[other]! > radius[node]! || (radius[other] === radius[node] && other >= node)) continue;
          const share = own + (mobility?.[other] ?? 1);
          if (share > 0) moved += part(node, other, own / share);
        }
    }
    if (moved === 0) return;
    yield;
  }

  /** Separates two circles; the first moves by `share` of the overlap. */
  function part(a: number, b: number, share: number): number {
    const wanted = radius[a]! + radius[b]!;
    let [dx, dy] = [x[b]! - x[a]!, y[b]! - y[a]!];
    const squared = dx * dx + dy * dy;
    if (squared >= wanted * wanted) return 0;
    const distance = Math.sqrt(squared);
    if (distance < 1e-6) [dx, dy] = [Math.cos(b), Math.sin(b)];
    else [dx, dy] = [dx / distance, dy / distance];
    const missing = (wanted - distance) * 0.6;
    x[a]! -= dx * missing * share;
    y[a]! -= dy * missing * share;
    x[b]! += dx * missing * (1 - share);
    y[b]! += dy * missing * (1 - share);
    return missing;
  }
}

/** Builds a grid of circles by center; those of neighboring cells in a row are adjacent in `held`. */
function openGrid({ x, y, radius }: Pick<Circles, 'x' | 'y' | 'radius'>, order: Int32Array) {
  let [left, right, top, bottom, sum] = [Infinity, -Infinity, Infinity, -Infinity, 0];
  for (const node of order) {
    left = Math.min(left, x[node]!);
    right = Math.max(right, x[node]!);
    top = Math.min(top, y[node]!);
    bottom = Math.max(bottom, y[node]!);
    sum += radius[node]!;
  }
  const [width, height] = [right - left, bottom - top];
  const cell = Math.max(
    (sum / order.length) * 2,
    Math.sqrt((width * height) / (order.length * CELLS_PER_CIRCLE)),
    Math.max(width, height) / 8_192,
    1e-6,
  );
  const columns = Math.floor(width / cell) + 1;
  const rows = Math.floor(height / cell) + 1;
  const column = (value: number): number => Math.min(columns - 1, Math.max(0, Math.floor((value - left) / cell)));
  const row = (value: number): number => Math.min(rows - 1, Math.max(0, Math.floor((value - top) / cell)));
  const first = new Int32Array(columns * rows + 1);
  for (const node of order) first[row(y[node]!) * columns + column(x[node]!) + 1]! += 1;
  for (let at = 0; at < columns * rows; at += 1) first[at + 1]! += first[at]!;
  const next = first.slice();
  const held = new Int32Array(order.length);
  for (const node of order) held[next[row(y[node]!) * columns + column(x[node]!)]!++] = node;
  return { columns, column, row, first, held };
}
