import { EMPTY_CHART, linksOf } from '../chart.ts';
import type { Chart } from '../chart.ts';
import { between, clampScale, fit, growOf, zoomAt } from './camera.ts';
import type { Camera } from './camera.ts';
import { followGestures } from './gestures.ts';
import { drawLabels } from './labels.ts';
import { Motion } from './motion.ts';
import { nodeAt, nodeToward, viewOf } from './nearest.ts';
import type { Seen } from './nearest.ts';
import { openRenderer } from './renderer.ts';
import type { Renderer } from './renderer.ts';
import type { Looks, StageListener } from './seen-and-heard.ts';

const FADED = 64;
/** How near the pointer has to be to a node, beyond its rim, in pixels. */
const REACH = { mouse: 6, touch: 18 } as const;
const TRAVEL_MS = 350;

/** The drawing: what is on it, what part of it is seen, and what people do with it. Draws when something changed, and never else. */
export class Stage {
  readonly #box: HTMLElement;
  readonly #labels: HTMLCanvasElement;
  readonly #renderer: Renderer;
  readonly #listener: StageListener;
  readonly #motion = new Motion();
  readonly #stops: (() => void)[] = [];
  #chart: Chart = EMPTY_CHART;
  #ranked = new Uint32Array(0);
  #looks: Looks | null = null;
  #shown = new Uint8Array(0);
  #camera: Camera = { x: 0, y: 0, scale: 1 };
  #travel: { readonly from: Camera; readonly to: Camera; readonly started: number } | null = null;
  #hovered: number | null = null;
  #focused: number | null = null;
  #marked: readonly number[] = [];
  #shownLinks = 0;
  #size = { width: 1, height: 1 };
  #pending = 0;
  #isHeld = false;

  /** Null where the browser has no WebGL 2. */
  static open(
    box: HTMLElement,
    canvases: { readonly map: HTMLCanvasElement; readonly labels: HTMLCanvasElement },
    listener: StageListener,
  ): Stage | null {
    const renderer = openRenderer(canvases.map);
    return renderer === null ? null : new Stage(box, canvases, renderer, listener);
  }

  private constructor(
    box: HTMLElement,
    { map, labels }: { readonly map: HTMLCanvasElement; readonly labels: HTMLCanvasElement },
    renderer: Renderer,
    listener: StageListener,
  ) {
    this.#box = box;
    this.#labels = labels;
    this.#renderer = renderer;
    this.#listener = listener;
    const observer = new ResizeObserver(() => this.#resize());
    observer.observe(box);
    this.#stops.push(
      () => observer.disconnect(),
      followGestures(map, {
        pan: (dx, dy) => this.pan(dx, dy),
        zoom: (at) => this.#look(zoomAt(this.#camera, at)),
        hover: (at) => this.#hover(at === null ? null : nodeAt(this.#seen, at, REACH.mouse)),
        click: (at, pick) => this.#listener.onPick(nodeAt(this.#seen, at, pick.isTouch ? REACH.touch : REACH.mouse), pick),
        hold: (isHeld) => {
          this.#isHeld = isHeld;
          this.#box.classList.toggle('graph-held', isHeld);
        },
      }),
    );
    this.#resize();
  }

  get camera(): Camera {
    return this.#camera;
  }

  close(): void {
    cancelAnimationFrame(this.#pending);
    for (const stop of this.#stops) stop();
    this.#renderer.close();
  }

  /** What is on the map. `isStill`: nodes are at once where they belong. */
  setChart(chart: Chart, looks: Looks, isStill: boolean): void {
    const focused = this.#focused === null ? null : (chart.at.get(this.#chart.nodes[this.#focused]?.id ?? -1) ?? null);
    this.#motion.setChart(chart, this.#chart, isStill);
    this.#chart = chart;
    this.#ranked = Uint32Array.from(chart.nodes, (_, at) => at).sort((a, b) => (chart.degree[b] ?? 0) - (chart.degree[a] ?? 0) || a - b);
    this.#renderer.setGraph(this.#ranked.slice().reverse(), chart.links);
    this.#hovered = null;
    this.#focused = focused;
    this.setLooks(looks);
    this.#renderer.setPlaces(this.#motion.places);
  }

  setLooks(looks: Looks): void {
    this.#looks = looks;
    const { nodes, links } = this.#chart;
    const { shown, lit, colourOf, inks } = looks;
    this.#shown = shown.map((isShown, at) => (isShown === 1 && !Number.isNaN(nodes[at]?.x ?? NaN) ? 1 : 0));
    const cells = new Uint8Array(nodes.length * 4);
    for (const [at, { kind }] of nodes.entries()) {
      if (this.#shown[at] === 0) continue;
      const colour = kind === 'note' ? (inks.groups[colourOf[at] ?? -1] ?? inks.plain) : inks.ghost;
      cells.set([colour[0] * 255, colour[1] * 255, colour[2] * 255, lit === null || lit.has(at) ? 255 : FADED], at * 4);
    }
    this.#renderer.setLooks(cells);
    let shownLinks = 0;
    for (let at = 0; at < links.length; at += 2)
      if (this.#shown[links[at] ?? 0] === 1 && this.#shown[links[at + 1] ?? 0] === 1) shownLinks += 1;
    this.#shownLinks = shownLinks;
    this.#mark();
  }

  /** The node that the keyboard is at, or that was touched. */
  setFocused(place: number | null): void {
    this.#focused = place;
    // Where the pointer happens to rest counts no more.
    if (place !== null) this.#hovered = null;
    this.#mark();
  }

  setCamera(camera: Camera): void {
    this.#travel = null;
    this.#look(camera);
  }

  /** Shows all of the map. */
  fit(isStill: boolean): void {
    this.#go(fit(this.#targets(), { shown: this.#shown, ...this.#size }), isStill);
  }

  /** Brings a node to the middle, near enough to be read. */
  goTo(place: number, isStill: boolean): void {
    const node = this.#chart.nodes[place];
    if (node === undefined || Number.isNaN(node.x)) return;
    this.#go({ x: node.x, y: node.y, scale: Math.max(this.#camera.scale, 0.55) }, isStill);
  }

  pan(dx: number, dy: number): void {
    const { x, y, scale } = this.#camera;
    this.#travel = null;
    this.#look({ x: x - dx / scale, y: y - dy / scale, scale });
  }

  zoom(factor: number, isStill: boolean): void {
    const { x, y, scale } = this.#travel?.to ?? this.#camera;
    this.#go({ x, y, scale: clampScale(scale * factor) }, isStill);
  }

  /** Whether a node lies outside of what is seen. */
  isOutside(place: number): boolean {
    const { left, top } = viewOf(this.#seen, place);
    return Math.abs(left) > this.#size.width / 2 - 40 || Math.abs(top) > this.#size.height / 2 - 40;
  }

  /** The node in a direction, as seen from a node, or from the middle; among its neighbours where it has some there. */
  nodeToward(from: number | null, direction: readonly [number, number]): number | null {
    return nodeToward(this.#seen, from === null ? { from, among: this.#ranked } : { from }, direction);
  }

  #go(to: Camera, isStill: boolean): void {
    if (isStill || this.#size.width <= 1) return this.setCamera(to);
    this.#travel = { from: this.#camera, to, started: performance.now() };
    this.#ask();
  }

  #look(camera: Camera): void {
    this.#camera = camera;
    this.#listener.onCamera(camera);
    this.#ask();
  }

  #hover(place: number | null): void {
    if (place === this.#hovered || this.#isHeld) return;
    this.#hovered = place;
    this.#box.classList.toggle('graph-at-node', place !== null);
    this.#mark();
    this.#listener.onHover(place);
  }

  /** Marks a node, its links and its neighbours. */
  #mark(): void {
    const place = this.#hovered ?? this.#focused;
    const { links } = this.#chart;
    const pairs: number[] = [];
    const nodes = new Set<number>();
    if (place !== null && this.#shown[place] === 1) {
      for (const link of linksOf(this.#chart, place)) {
        const [from, to] = [links[link * 2] ?? 0, links[link * 2 + 1] ?? 0];
        if (this.#shown[from] === 0 || this.#shown[to] === 0) continue;
        pairs.push(from, to);
        nodes.add(from);
        nodes.add(to);
      }
      nodes.delete(place);
      nodes.add(place);
    }
    this.#marked = [...nodes].reverse();
    this.#renderer.setMarked(Uint32Array.from(nodes), Uint32Array.from(pairs));
    this.#ask();
  }

  get #seen(): Seen {
    return { chart: this.#chart, shown: this.#shown, places: this.#motion.places, camera: this.#camera };
  }

  /** Where nodes are when all have come to rest. */
  #targets(): Float32Array {
    const places = new Float32Array(this.#chart.nodes.length * 4);
    for (const [at, { x, y }] of this.#chart.nodes.entries()) places.set([x, y], at * 4);
    return places;
  }

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.#box;
    if (width === 0 || height === 0) return;
    this.#size = { width, height };
    this.#ask();
  }

  #ask(): void {
    if (this.#pending === 0) this.#pending = requestAnimationFrame((now) => this.#draw(now));
  }

  #draw(now: number): void {
    this.#pending = 0;
    const looks = this.#looks;
    if (looks === null) return;
    if (this.#travel !== null) {
      const { from, to, started } = this.#travel;
      const part = Math.min(1, Math.max(0, (now - started) / TRAVEL_MS));
      this.#camera = between(from, to, part);
      if (part === 1) this.#travel = null;
      this.#listener.onCamera(this.#camera);
    }
    if (this.#motion.step(now)) this.#renderer.setPlaces(this.#motion.places);
    const { inks, lit, hasArrows } = looks;
    const { width, height } = this.#size;
    const { x, y, scale } = this.#camera;
    const ratio = Math.min(2, devicePixelRatio);
    const isPointed = this.#marked.length > 0;
    const isUnfinished = this.#renderer.draw({
      x,
      y,
      scale,
      width,
      height,
      ratio,
      hasArrows,
      grow: growOf(scale),
      paper: inks.paper,
      line: inks.line,
      ink: inks.ink,
      linkAlpha: Math.min(0.55, Math.max(0.03, (10 / Math.sqrt(this.#shownLinks + 1)) * Math.max(1, scale ** 0.5))),
      fade: 0.25,
      dim: isPointed ? (this.#hovered === null ? 0.5 : 0.3) : 1,
    });
    drawLabels(this.#labels, {
      chart: this.#chart,
      places: this.#motion.places,
      shown: this.#shown,
      camera: this.#camera,
      width,
      height,
      ratio,
      ranked: this.#ranked,
      marked: isPointed ? this.#marked : lit === null ? [] : [...lit].slice(0, 60),
      isOnly: (isPointed && this.#hovered !== null) || lit !== null,
      style: inks.labels,
    });
    this.#box.dataset['frames'] = String(Number(this.#box.dataset['frames'] ?? 0) + 1);
    if (isUnfinished || this.#motion.isUnderWay || this.#travel !== null) this.#ask();
  }
}
