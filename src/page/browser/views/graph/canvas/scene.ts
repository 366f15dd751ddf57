import { EMPTY_GRAPH, getLinks } from '../graph-model.ts';
import type { GraphData } from '../graph-model.ts';
import { interpolate, clampScale, fit, getNodeScale, zoomAt } from './camera.ts';
import type { Camera } from './camera.ts';
import { listenToGestures } from './gestures.ts';
import { LabelLayer } from './label-layer.ts';
import { Motion } from './motion.ts';
import type { Appearance } from './palette.ts';
import { findNodeAt, findNodeToward, toViewPoint } from './hit-test.ts';
import type { Viewport } from './hit-test.ts';
import { openRenderer } from './renderer.ts';
import type { Renderer } from './renderer.ts';
import type { SceneListener } from './events.ts';

const FADED = 64;
/** How far from the edge of a node a pointer still hits it, in pixels. */
const REACH = { mouse: 6, touch: 18 } as const;
const TRAVEL_MS = 350;
/** Pause in a movement of the camera after which it has come to rest. */
const REST_MS = 120;

/** The scene on the canvas: its graph, its camera, and its interaction. Draws only when something has changed. */
export class Scene {
  readonly #box: HTMLElement;
  readonly #labels: LabelLayer;
  readonly #renderer: Renderer;
  readonly #listener: SceneListener;
  readonly #motion = new Motion();
  readonly #stops: (() => void)[] = [];
  #graph: GraphData = EMPTY_GRAPH;
  #ranked = new Uint32Array(0);
  #appearance: Appearance | null = null;
  #shown = new Uint8Array(0);
  #camera: Camera = { x: 0, y: 0, scale: 1 };
  #animation: { readonly from: Camera; readonly to: Camera; readonly started: number } | null = null;
  #hovered: number | null = null;
  #focused: number | null = null;
  #marked: readonly number[] = [];
  #shownLinks = 0;
  #size = { width: 1, height: 1 };
  #pending = 0;
  /** When the last movement by hand was drawn; `Infinity` while it is still to be drawn. */
  #movedAt = -REST_MS;
  #resting: ReturnType<typeof setTimeout> | undefined;
  #isHeld = false;

  /** Opens a scene. Null if the browser has no WebGL 2. */
  static open(
    box: HTMLElement,
    canvases: { readonly map: HTMLCanvasElement; readonly labels: HTMLCanvasElement },
    listener: SceneListener,
  ): Scene | null {
    const renderer = openRenderer(canvases.map);
    return renderer === null ? null : new Scene(box, canvases, renderer, listener);
  }

  private constructor(
    box: HTMLElement,
    { map, labels }: { readonly map: HTMLCanvasElement; readonly labels: HTMLCanvasElement },
    renderer: Renderer,
    listener: SceneListener,
  ) {
    this.#box = box;
    this.#labels = new LabelLayer(labels);
    this.#renderer = renderer;
    this.#listener = listener;
    const observer = new ResizeObserver(() => this.#resize());
    observer.observe(box);
    this.#stops.push(
      () => observer.disconnect(),
      listenToGestures(map, {
        pan: (dx, dy) => this.pan(dx, dy),
        zoom: (at) => this.#moveByHand(zoomAt(this.#camera, at)),
        hover: (at) => this.#hover(at === null ? null : findNodeAt(this.#viewport, at, REACH.mouse)),
        click: (at, pick) => this.#listener.onPick(findNodeAt(this.#viewport, at, pick.isTouch ? REACH.touch : REACH.mouse), pick),
        hold: (isHeld) => {
          this.#isHeld = isHeld;
          this.#box.classList.toggle('graph-held', isHeld);
        },
      }),
    );
    this.#resize();
  }

  close(): void {
    cancelAnimationFrame(this.#pending);
    clearTimeout(this.#resting);
    for (const stop of this.#stops) stop();
    this.#renderer.close();
  }

  /** Sets the graph. With `isInstant`, nodes jump to their positions. */
  setGraph(graph: GraphData, appearance: Appearance, isInstant: boolean): void {
    const focused = this.#focused === null ? null : (graph.indexById.get(this.#graph.nodes[this.#focused]?.id ?? -1) ?? null);
    this.#motion.setGraph(graph, this.#graph, isInstant);
    this.#graph = graph;
    this.#ranked = Uint32Array.from(graph.nodes, (_, at) => at).sort((a, b) => (graph.degree[b] ?? 0) - (graph.degree[a] ?? 0) || a - b);
    this.#renderer.setGraph(this.#ranked.slice().reverse(), graph.links);
    this.#hovered = null;
    this.#focused = focused;
    this.setAppearance(appearance);
    this.#renderer.setPositions(this.#motion.positions);
  }

  setAppearance(appearance: Appearance): void {
    this.#appearance = appearance;
    const { nodes, links } = this.#graph;
    const { shown, matches, colorOf, palette } = appearance;
    this.#shown = shown.map((isShown, at) => (isShown === 1 && !Number.isNaN(nodes[at]?.x ?? NaN) ? 1 : 0));
    const cells = new Uint8Array(nodes.length * 4);
    for (const [at, { kind }] of nodes.entries()) {
      if (this.#shown[at] === 0) continue;
      const color = kind === 'note' ? (palette.groups[colorOf[at] ?? -1] ?? palette.plain) : palette.ghost;
      cells.set([color[0] * 255, color[1] * 255, color[2] * 255, matches === null || matches.has(at) ? 255 : FADED], at * 4);
    }
    this.#renderer.setAppearance(cells);
    let shownLinks = 0;
    for (let at = 0; at < links.length; at += 2)
      if (this.#shown[links[at] ?? 0] === 1 && this.#shown[links[at + 1] ?? 0] === 1) shownLinks += 1;
    this.#shownLinks = shownLinks;
    this.#mark();
  }

  /** Sets the node that was selected by keyboard or touch. */
  setFocused(index: number | null): void {
    this.#focused = index;
    // The selection overrides a pointer that merely rests on a node.
    if (index !== null) this.#hovered = null;
    this.#mark();
  }

  setCamera(camera: Camera): void {
    this.#animation = null;
    this.#moveCamera(camera);
  }

  /** Moves the camera so that the whole map is visible. */
  fit(isInstant: boolean): void {
    this.#animateTo(fit(this.#targets(), { shown: this.#shown, ...this.#size }), isInstant);
  }

  /** Moves the camera to a node, close enough to read its label. */
  goTo(index: number, isInstant: boolean): void {
    const node = this.#graph.nodes[index];
    if (node === undefined || Number.isNaN(node.x)) return;
    this.#animateTo({ x: node.x, y: node.y, scale: Math.max(this.#camera.scale, 0.55) }, isInstant);
  }

  pan(dx: number, dy: number): void {
    const { x, y, scale } = this.#camera;
    this.#animation = null;
    this.#moveByHand({ x: x - dx / scale, y: y - dy / scale, scale });
  }

  zoom(factor: number, isInstant: boolean): void {
    const { x, y, scale } = this.#animation?.to ?? this.#camera;
    this.#animateTo({ x, y, scale: clampScale(scale * factor) }, isInstant);
  }

  /** Tells whether a node is outside the visible part. */
  isOutOfView(index: number): boolean {
    const { left, top } = toViewPoint(this.#viewport, index);
    return Math.abs(left) > this.#size.width / 2 - 40 || Math.abs(top) > this.#size.height / 2 - 40;
  }

  /** Returns the node in a direction: a neighbor of `from`, or any node near the middle if `from` is null. */
  findNodeToward(from: number | null, direction: readonly [number, number]): number | null {
    return findNodeToward(this.#viewport, from === null ? { from, among: this.#ranked } : { from }, direction);
  }

  #animateTo(to: Camera, isInstant: boolean): void {
    if (isInstant || this.#size.width <= 1) return this.setCamera(to);
    this.#animation = { from: this.#camera, to, started: performance.now() };
    this.#requestFrame();
  }

  #moveCamera(camera: Camera): void {
    this.#camera = camera;
    this.#listener.onCamera(camera);
    this.#requestFrame();
  }

  /** Moves the camera as a part of a movement that is likely to go on. */
  #moveByHand(camera: Camera): void {
    this.#movedAt = Infinity;
    this.#moveCamera(camera);
  }

  #hover(index: number | null): void {
    if (index === this.#hovered || this.#isHeld) return;
    this.#hovered = index;
    this.#box.classList.toggle('graph-at-node', index !== null);
    this.#mark();
  }

  /** Marks the hovered or selected node with its links and neighbors. */
  #mark(): void {
    const index = this.#hovered ?? this.#focused;
    const { links } = this.#graph;
    const pairs: number[] = [];
    const nodes = new Set<number>();
    if (index !== null && this.#shown[index] === 1) {
      for (const link of getLinks(this.#graph, index)) {
        const [from, to] = [links[link * 2] ?? 0, links[link * 2 + 1] ?? 0];
        if (this.#shown[from] === 0 || this.#shown[to] === 0) continue;
        pairs.push(from, to);
        nodes.add(from);
        nodes.add(to);
      }
      nodes.delete(index);
      nodes.add(index);
    }
    this.#marked = [...nodes].reverse();
    this.#renderer.setMarked(Uint32Array.from(nodes), Uint32Array.from(pairs));
    this.#labels.expire();
    this.#requestFrame();
  }

  get #viewport(): Viewport {
    return { graph: this.#graph, shown: this.#shown, positions: this.#motion.positions, camera: this.#camera };
  }

  /** Returns the final positions of the nodes. */
  #targets(): Float32Array {
    const positions = new Float32Array(this.#graph.nodes.length * 4);
    for (const [at, { x, y }] of this.#graph.nodes.entries()) positions.set([x, y], at * 4);
    return positions;
  }

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.#box;
    if (width === 0 || height === 0) return;
    this.#size = { width, height };
    this.#labels.expire();
    this.#requestFrame();
  }

  #requestFrame(): void {
    if (this.#pending === 0) this.#pending = requestAnimationFrame((now) => this.#draw(now));
  }

  #draw(now: number): void {
    this.#pending = 0;
    const appearance = this.#appearance;
    if (appearance === null) return;
    if (this.#animation !== null) {
      const { from, to, started } = this.#animation;
      const part = Math.min(1, Math.max(0, (now - started) / TRAVEL_MS));
      this.#camera = interpolate(from, to, part);
      if (part === 1) this.#animation = null;
      this.#listener.onCamera(this.#camera);
    }
    if (this.#motion.step(now)) {
      this.#renderer.setPositions(this.#motion.positions);
      this.#labels.expire();
    }
    // Not since the pointer moved: where frames are late, each would be drawn as at rest, and the next one would be later.
    this.#movedAt = Math.min(this.#movedAt, performance.now());
    const isMoving = this.#animation !== null || performance.now() - this.#movedAt < REST_MS;
    const { palette, matches, hasArrows } = appearance;
    const { scale } = this.#camera;
    const ratio = Math.min(2, devicePixelRatio);
    const isPointed = this.#marked.length > 0;
    const isUnfinished = this.#renderer.draw({
      ...this.#camera,
      ...this.#size,
      ratio,
      hasArrows,
      isMoving,
      grow: getNodeScale(scale),
      paper: palette.paper,
      line: palette.line,
      ink: palette.ink,
      linkAlpha: Math.min(0.55, Math.max(0.03, (10 / Math.sqrt(this.#shownLinks + 1)) * Math.max(1, scale ** 0.5))),
      fade: 0.25,
      dim: isPointed ? (this.#hovered === null ? 0.5 : 0.3) : 1,
    });
    this.#labels.draw(
      {
        graph: this.#graph,
        positions: this.#motion.positions,
        shown: this.#shown,
        camera: this.#camera,
        ...this.#size,
        ratio,
        ranked: this.#ranked,
        marked: isPointed ? this.#marked : matches === null ? [] : [...matches].slice(0, 60),
        isOnly: (isPointed && this.#hovered !== null) || matches !== null,
        style: palette.labels,
      },
      isMoving,
    );
    const frames = Number(this.#box.dataset['frames'] ?? 0) + 1;
    Object.assign(this.#box.dataset, { frames, links: this.#renderer.drawnLinks });
    if (isUnfinished || this.#motion.isMoving || this.#animation !== null) this.#requestFrame();
    if (!isMoving) return;
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => this.#requestFrame(), REST_MS);
  }
}
