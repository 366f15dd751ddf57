import { Drawing } from './drawing.ts';
import { isSameView } from './frame.ts';
import type { Frame } from './frame.ts';
import { createBackBuffer } from './back-buffer.ts';
import type { BackBuffer } from './back-buffer.ts';

/** Draws nodes and links on a canvas with WebGL. */
export interface Renderer {
  /** Sets the nodes in drawing order, and the links as pairs of nodes. */
  setGraph(order: Uint32Array, links: Uint32Array): void;
  /** Sets four numbers per node: x, y, radius and padding. */
  setPositions(positions: Float32Array): void;
  /** Sets four bytes per node: red, green, blue and visibility (0 hidden, 64 faded, 255 full). */
  setAppearance(appearance: Uint8Array): void;
  /** Sets the nodes, and links as pairs, that are drawn on top. */
  setMarked(nodes: Uint32Array, links: Uint32Array): void;
  /** Draws a frame. Returns true if it is unfinished or blurred, and has to be drawn again. */
  draw(frame: Frame): boolean;
  /** Number of links drawn so far, without the marked ones. */
  readonly drawnLinks: number;
  close(): void;
}

/** A frame that takes longer is drawn in batches into a back buffer, which is moved and scaled with the camera meanwhile. */
const MAX_DIRECT_MS = 10;
/** Target duration of a batch. */
const BATCH_MS = 9;
const FIRST_BATCH_LINKS = 3_000;
/** Links of a batch, and nodes beyond the back buffer, while the camera is being moved. */
const MAX_MOVING_LINKS = 1_000;
const MAX_MOVING_NODES = 5_000;
/** The back buffer extends beyond the canvas on each side by this fraction of its size. */
const MARGIN = 0.2;
/** How many times larger or smaller than it was drawn a back buffer is shown while the camera is being moved. */
const MAX_BLUR = 1.6;

/** Opens a renderer. Null if the browser has no WebGL 2. */
export function openRenderer(canvas: HTMLCanvasElement): Renderer | null {
  const context = canvas.getContext('webgl2', { antialias: false, alpha: false, depth: false, powerPreference: 'high-performance' });
  return context === null ? null : new WebGlRenderer(context);
}

class WebGlRenderer implements Renderer {
  readonly #gl: WebGL2RenderingContext;
  readonly #drawing: Drawing;
  /** Whether links have to be thin lines, and whether frames can be drawn directly, to be fast enough; null: not measured yet. */
  #isThin: boolean | null = null;
  #isDirect: boolean | null = null;
  #front: { readonly buffer: BackBuffer; readonly frame: Frame; readonly version: number; readonly isEmpty: boolean } | null = null;
  #job: Job | null = null;
  #spare: BackBuffer | null = null;
  #batchLinks = FIRST_BATCH_LINKS;
  /** Incremented whenever the content of the back buffers becomes outdated. */
  #version = 0;

  constructor(gl: WebGL2RenderingContext) {
    this.#gl = gl;
    this.#drawing = new Drawing(gl);
  }

  setGraph(order: Uint32Array, links: Uint32Array): void {
    this.#drawing.setGraph(order, links);
    this.#isDirect = null;
    this.#version += 1;
    if (this.#front?.isEmpty !== true) return;
    this.#spare = this.#front.buffer;
    this.#front = null;
  }

  setPositions(positions: Float32Array): void {
    this.#drawing.setPositions(positions);
    this.#version += 1;
  }

  setAppearance(appearance: Uint8Array): void {
    this.#drawing.setAppearance(appearance);
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
    if (this.#isDirect === true) {
      this.#drawing.clear(frame, { width, height });
      this.#drawing.drawLinks(frame, { from: 0, to: this.#drawing.linkCount, isThin: this.#isThin === true });
      this.#drawing.drawNodes(frame);
    } else {
      const isCovered = this.#front !== null && covers(this.#front.frame, frame);
      // What shows all of the view is moved with the camera. It is drawn anew when that has come to rest.
      isUnfinished = frame.isMoving && isCovered ? false : this.#advance(frame);
      this.#drawing.clear(frame, { width, height });
      this.#drawing.drawBackBuffer(frame, this.#front ?? (this.#job === null ? null : { buffer: this.#job.buffer, frame: this.#job.view }));
      // Until the first back buffer is complete, the nodes are drawn directly, and those that a movement has brought into view.
      if (this.#front === null) this.#drawing.drawNodes(frame);
      else if (frame.isMoving && !isCovered) this.#drawing.drawNodes(frame, MAX_MOVING_NODES);
    }
    this.#drawing.drawMarked(frame);
    return isUnfinished;
  }

  get drawnLinks(): number {
    return this.#drawing.drawnLinks;
  }

  close(): void {
    this.#gl.getExtension('WEBGL_lose_context')?.loseContext();
  }

  /** Continues the current job or starts the next one. Returns whether there is more to do. */
  #advance(frame: Frame): boolean {
    const isSharp = this.#front !== null && this.#front.version === this.#version && isSameView(this.#front.frame, frame);
    if (this.#job === null && isSharp) return false;
    this.#job ??= this.#startJob(frame);
    this.#drawBatch(this.#job, frame.isMoving);
    return true;
  }

  #startJob(frame: Frame): Job {
    const extended: Frame = { ...frame, width: frame.width * (1 + MARGIN * 2), height: frame.height * (1 + MARGIN * 2), dim: 1 };
    const size = { width: Math.round(extended.width * frame.ratio), height: Math.round(extended.height * frame.ratio) };
    let buffer = this.#spare;
    this.#spare = null;
    if (buffer === null || buffer.width !== size.width || buffer.height !== size.height) {
      buffer?.close();
      buffer = createBackBuffer(this.#gl, size);
    }
    buffer.enter();
    this.#drawing.clear(extended, size);
    buffer.leave();
    return { buffer, frame: extended, view: frame, version: this.#version, next: 0, tookMs: 0 };
  }

  #drawBatch(job: Job, isMoving: boolean): void {
    const gl = this.#gl;
    const started = performance.now();
    const count = this.#drawing.linkCount;
    job.buffer.enter();
    const end = Math.min(count, job.next + (isMoving ? Math.min(MAX_MOVING_LINKS, this.#batchLinks) : this.#batchLinks));
    // Links of a newer graph are not drawn over those of an older one: the job is finished as it is, and a new one follows.
    const isOld = job.version !== this.#version && job.next > 0 && this.#front === null;
    if (!isOld) this.#drawing.drawLinks(job.frame, { from: Math.min(job.next, count), to: end, isThin: this.#isThin === true });
    const isLast = end >= count;
    if (isLast) this.#drawing.drawNodes(job.frame);
    // Reading a pixel waits for the GPU, so that the time measured is that of the drawing.
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    job.buffer.leave();
    const took = performance.now() - started;
    job.tookMs += took;
    if (end > job.next && !isLast && !isMoving)
      this.#batchLinks = Math.round(Math.min(200_000, Math.max(500, this.#batchLinks * Math.min(2, Math.max(0.5, BATCH_MS / took)))));
    if (end > 0) this.#isThin ??= took > MAX_DIRECT_MS;
    job.next = end;
    if (!isLast) return;
    this.#spare = this.#front?.buffer ?? null;
    this.#front = { buffer: job.buffer, frame: job.view, version: job.version, isEmpty: this.#drawing.nodeCount === 0 };
    this.#isDirect ??= null;
    if (this.#isDirect === null && job.version === this.#version) this.#isDirect = job.tookMs < MAX_DIRECT_MS;
    this.#job = null;
  }
}

/** Tells whether a back buffer shows all of a view, and about as large as it is there. */
function covers(drawn: Frame, { x, y, scale, width, height }: Frame): boolean {
  const isWithin = (away: number, size: number, drawnSize: number): boolean =>
    Math.abs(away) + size / scale / 2 <= (drawnSize * (0.5 + MARGIN)) / drawn.scale;
  const zoom = scale / drawn.scale;
  return zoom < MAX_BLUR && zoom > 1 / MAX_BLUR && isWithin(x - drawn.x, width, drawn.width) && isWithin(y - drawn.y, height, drawn.height);
}

/** A back buffer that is being drawn. */
interface Job {
  readonly buffer: BackBuffer;
  readonly frame: Frame;
  /** The frame it is drawn for, which is smaller than the buffer. */
  readonly view: Frame;
  readonly version: number;
  next: number;
  tookMs: number;
}
