import { Drawing } from './drawing.ts';
import { isSameView } from './frame.ts';
import type { Frame } from './frame.ts';
import { openPicture } from './picture.ts';
import type { Picture } from './picture.ts';

/** Draws nodes and links on a canvas. */
export interface Renderer {
  /** Nodes in the order in which they are drawn, and the links between them as pairs. */
  setGraph(order: Uint32Array, links: Uint32Array): void;
  /** x, y, radius and nothing, by node. */
  setPlaces(places: Float32Array): void;
  /** Red, green, blue and how it is shown, by node: 0 not, 64 faded, 255 as it is. */
  setLooks(looks: Uint8Array): void;
  /** Nodes, and links as pairs, that are drawn over all others. */
  setMarked(nodes: Uint32Array, links: Uint32Array): void;
  /** Draws a frame; true when it is not finished, or not sharp yet, and wants to be drawn once more. */
  draw(frame: Frame): boolean;
  readonly isLost: boolean;
  close(): void;
}

/** What takes longer, in milliseconds, is drawn bit by bit into a picture that moves with the map meanwhile. */
const QUICK_MS = 10;
/** What a bit may take. */
const BIT_MS = 9;
const FIRST_BIT = 3_000;
/** The picture reaches so far beyond the canvas on each side, as a part of its size. */
const MARGIN = 0.2;

/** A renderer on WebGL 2; null where the browser has none. */
export function openRenderer(canvas: HTMLCanvasElement): Renderer | null {
  const context = canvas.getContext('webgl2', { antialias: false, alpha: false, depth: false, powerPreference: 'high-performance' });
  return context === null ? null : new OpenRenderer(context);
}

class OpenRenderer implements Renderer {
  readonly #gl: WebGL2RenderingContext;
  readonly #drawing: Drawing;
  /** Whether lines are all that can be drawn in time, and whether the whole can be drawn for each frame; null: not known yet. */
  #isThin: boolean | null = null;
  #isQuick: boolean | null = null;
  #front: { readonly picture: Picture; readonly frame: Frame; readonly version: number; readonly isEmpty: boolean } | null = null;
  #job: Job | null = null;
  #spare: Picture | null = null;
  #bit = FIRST_BIT;
  /** Grows with what is to be drawn anew. */
  #version = 0;

  constructor(gl: WebGL2RenderingContext) {
    this.#gl = gl;
    this.#drawing = new Drawing(gl);
  }

  get isLost(): boolean {
    return this.#gl.isContextLost();
  }

  setGraph(order: Uint32Array, links: Uint32Array): void {
    this.#drawing.setGraph(order, links);
    this.#isQuick = null;
    this.#version += 1;
    if (this.#front?.isEmpty !== true) return;
    this.#spare = this.#front.picture;
    this.#front = null;
  }

  setPlaces(places: Float32Array): void {
    this.#drawing.setPlaces(places);
    this.#version += 1;
  }

  setLooks(looks: Uint8Array): void {
    this.#drawing.setLooks(looks);
    this.#version += 1;
  }

  setMarked(nodes: Uint32Array, links: Uint32Array): void {
    this.#drawing.setMarked(nodes, links);
  }

  draw(frame: Frame): boolean {
    const gl = this.#gl;
    const [width, height] = [Math.round(frame.width * frame.ratio), Math.round(frame.height * frame.ratio)];
    const { canvas } = gl;
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    let isUnfinished = false;
    if (this.#isQuick === true) {
      this.#drawing.clear(frame, { width, height });
      this.#drawing.links(frame, { from: 0, to: this.#drawing.linkCount, isThin: this.#isThin === true });
      this.#drawing.nodes(frame);
    } else {
      isUnfinished = this.#follow(frame);
      this.#drawing.clear(frame, { width, height });
      this.#drawing.picture(frame, this.#front ?? (this.#job === null ? null : { picture: this.#job.picture, frame: this.#job.view }));
      // Before the first picture is whole, the nodes are there already.
      if (this.#front === null) this.#drawing.nodes(frame);
    }
    this.#drawing.marked(frame);
    return isUnfinished;
  }

  close(): void {
    this.#gl.getExtension('WEBGL_lose_context')?.loseContext();
  }

  /** Goes on with the picture that is being drawn, or begins the next; whether there is more to do. */
  #follow(frame: Frame): boolean {
    const isSharp = this.#front !== null && this.#front.version === this.#version && isSameView(this.#front.frame, frame);
    if (this.#job === null && isSharp) return false;
    this.#job ??= this.#begin(frame);
    this.#goOn(this.#job);
    return true;
  }

  #begin(frame: Frame): Job {
    const around: Frame = { ...frame, width: frame.width * (1 + MARGIN * 2), height: frame.height * (1 + MARGIN * 2), dim: 1 };
    const size = { width: Math.round(around.width * frame.ratio), height: Math.round(around.height * frame.ratio) };
    let picture = this.#spare;
    this.#spare = null;
    if (picture === null || picture.width !== size.width || picture.height !== size.height) {
      picture?.close();
      picture = openPicture(this.#gl, size);
    }
    picture.enter();
    this.#drawing.clear(around, size);
    picture.leave();
    return { picture, frame: around, view: frame, version: this.#version, next: 0, tookMs: 0 };
  }

  #goOn(job: Job): void {
    const gl = this.#gl;
    const started = performance.now();
    const count = this.#drawing.linkCount;
    job.picture.enter();
    const end = Math.min(count, job.next + this.#bit);
    // Over links that were drawn otherwise no others are drawn: a change of the graph begins anew.
    const isOld = job.version !== this.#version && job.next > 0 && this.#front === null;
    if (!isOld) this.#drawing.links(job.frame, { from: Math.min(job.next, count), to: end, isThin: this.#isThin === true });
    const isLast = end >= count;
    if (isLast) this.#drawing.nodes(job.frame);
    // Waits until it is drawn: only so is it known what it takes.
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    job.picture.leave();
    const took = performance.now() - started;
    job.tookMs += took;
    if (end > job.next && !isLast)
      this.#bit = Math.round(Math.min(200_000, Math.max(500, this.#bit * Math.min(2, Math.max(0.5, BIT_MS / took)))));
    if (end > 0) this.#isThin ??= took > QUICK_MS;
    job.next = end;
    if (!isLast) return;
    this.#spare = this.#front?.picture ?? null;
    this.#front = { picture: job.picture, frame: job.view, version: job.version, isEmpty: this.#drawing.nodeCount === 0 };
    this.#isQuick ??= null;
    if (this.#isQuick === null && job.version === this.#version) this.#isQuick = job.tookMs < QUICK_MS;
    this.#job = null;
  }
}

/** A picture that is being drawn. */
interface Job {
  readonly picture: Picture;
  readonly frame: Frame;
  /** The frame that it is drawn for, which is smaller. */
  readonly view: Frame;
  readonly version: number;
  next: number;
  tookMs: number;
}
