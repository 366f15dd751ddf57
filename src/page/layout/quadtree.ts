/** Marks an empty square. A square has up to one body, or four squares. */
const NONE = -1;
/** Depth limit of squares: bodies at one place share one. */
const MAX_DEPTH = 40;

/**
 * A quadtree of bodies in a plane, in which many far ones count as one (Barnes and Hut 1986). Uses reusable arrays: rebuilding it for each
 * step costs less than the step.
 */
export class Quadtree {
  #end = 0;
  #child = new Int32Array(0);
  #body = new Int32Array(0);
  /** Side lengths of squares. */
  #side = new Float64Array(0);
  #mass = new Float64Array(0);
  #massX = new Float64Array(0);
  #massY = new Float64Array(0);
  readonly #stack = new Int32Array(MAX_DEPTH * 4 + 8);
  /** Result of the last `push`. */
  forceX = 0;
  forceY = 0;

  /** Builds the tree of the bodies in `order`. */
  build({ x, y, mass, order }: { x: Float64Array; y: Float64Array; mass: Float64Array; order: Int32Array }): void {
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let at = 0; at < order.length; at += 1) {
      const body = order[at]!;
      left = Math.min(left, x[body]!);
      right = Math.max(right, x[body]!);
      top = Math.min(top, y[body]!);
      bottom = Math.max(bottom, y[body]!);
    }
    const side = Math.max(right - left, bottom - top, 1e-6) * 1.0001;
    this.#end = 0;
    this.#reserve(order.length * 2 + 64);
    const root = this.#add(side);
    for (let at = 0; at < order.length; at += 1) {
      const body = order[at]!;
      this.#insert(root, { body, x: x[body]!, y: y[body]!, mass: mass[body]!, left, top }, { x, y, mass });
    }
    for (let square = 0; square < this.#end; square += 1) {
      if (this.#mass[square]! <= 0) continue;
      this.#massX[square]! /= this.#mass[square]!;
      this.#massY[square]! /= this.#mass[square]!;
    }
  }

  /**
   * Computes the repulsion of all other bodies on a body, mass by distance, into `forceX` and `forceY`. `theta`: approximation of far
   * bodies.
   */
  push(body: number, px: number, py: number, theta: number): void {
    const [child, side, mass, massX, massY, bodyOf, stack] = [
      this.#child,
      this.#side,
      this.#mass,
      this.#massX,
      this.#massY,
      this.#body,
      this.#stack,
    ];
    const near = 1 / (theta * theta);
    let [fx, fy, top] = [0, 0, 1];
    stack[0] = 0;
    while (top > 0) {
      top -= 1;
      const square = stack[top]!;
      if (bodyOf[square] === body) continue;
      const dx = px - massX[square]!;
      const dy = py - massY[square]!;
      const squared = dx * dx + dy * dy;
      const width = side[square]!;
      if (bodyOf[square]! >= 0 || width * width * near < squared) {
        const force = mass[square]! / Math.max(squared, 1e-4);
        fx += dx * force;
        fy += dy * force;
        continue;
      }
      for (let quarter = square * 4; quarter < square * 4 + 4; quarter += 1) if (child[quarter]! >= 0) stack[top++] = child[quarter]!;
    }
    this.forceX = fx;
    this.forceY = fy;
  }

  #insert(
    root: number,
    one: { body: number; x: number; y: number; mass: number; left: number; top: number },
    places: { x: Float64Array; y: Float64Array; mass: Float64Array },
  ): void {
    let { left, top } = one;
    let square = root;
    for (let depth = 0; ; depth += 1) {
      const isEmpty = this.#mass[square] === 0;
      this.#mass[square]! += one.mass;
      this.#massX[square]! += one.x * one.mass;
      this.#massY[square]! += one.y * one.mass;
      if (isEmpty) {
        this.#body[square] = one.body;
        return;
      }
      const half = this.#side[square]! / 2;
      const held = this.#body[square]!;
      if (held >= 0) {
        // Two bodies at one place share a square whose body is irrelevant.
        this.#body[square] = NONE;
        if (depth >= MAX_DEPTH) return;
        const [hx, hy, hm] = [places.x[held]!, places.y[held]!, places.mass[held]!];
        const moved = this.#childAt(square, (hx >= left + half ? 1 : 0) + (hy >= top + half ? 2 : 0));
        this.#body[moved] = held;
        this.#mass[moved] = hm;
        this.#massX[moved] = hx * hm;
        this.#massY[moved] = hy * hm;
      } else if (depth >= MAX_DEPTH) return;
      const [isRight, isLow] = [one.x >= left + half, one.y >= top + half];
      square = this.#childAt(square, (isRight ? 1 : 0) + (isLow ? 2 : 0));
      if (isRight) left += half;
      if (isLow) top += half;
    }
  }

  #childAt(square: number, quarter: number): number {
    const known = this.#child[square * 4 + quarter]!;
    if (known >= 0) return known;
    const added = this.#add(this.#side[square]! / 2);
    this.#child[square * 4 + quarter] = added;
    return added;
  }

  #add(side: number): number {
    const square = this.#end++;
    if (square >= this.#body.length) this.#reserve(square * 2);
    this.#child.fill(NONE, square * 4, square * 4 + 4);
    this.#body[square] = NONE;
    this.#side[square] = side;
    this.#mass[square] = 0;
    this.#massX[square] = 0;
    this.#massY[square] = 0;
    return square;
  }

  #reserve(squares: number): void {
    if (this.#body.length >= squares) return;
    const grow = <T extends Int32Array | Float64Array>(column: T, length: number): T => {
      const next = new (column.constructor as new (length: number) => T)(length);
      next.set(column);
      return next;
    };
    this.#child = grow(this.#child, squares * 4);
    this.#body = grow(this.#body, squares);
    this.#side = grow(this.#side, squares);
    this.#mass = grow(this.#mass, squares);
    this.#massX = grow(this.#massX, squares);
    this.#massY = grow(this.#massY, squares);
  }
}
