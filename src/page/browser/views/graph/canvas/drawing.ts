import type { Frame } from './frame.ts';
import { createIndexBuffer, createProgram, createDataTexture } from './gl-objects.ts';
import type { Program } from './gl-objects.ts';
import type { BackBuffer } from './back-buffer.ts';
import {
  ARROW_FRAGMENT,
  ARROW_VERTEX,
  LINK_FRAGMENT,
  LINK_VERTEX,
  NODE_FRAGMENT,
  NODE_VERTEX,
  BACK_BUFFER_FRAGMENT,
  BACK_BUFFER_VERTEX,
} from './shaders.ts';

/** Links on the GPU: pairs of node indices, which shaders look up by the number of the link. */
interface LinkBuffer {
  readonly table: { bind(): void; set(values: Uint32Array): void };
  count: number;
}

/** A range of links to draw. */
interface LinkRange {
  readonly from: number;
  readonly to: number;
  /** Draws lines of one pixel, which is cheaper. */
  readonly isThin: boolean;
}

/** The buffers, textures and programs of the graph on the GPU, and its draw calls. */
export class Drawing {
  readonly #gl: WebGL2RenderingContext;
  readonly #programs: Readonly<Record<'node' | 'link' | 'arrow' | 'backBuffer', Program>>;
  readonly #positions;
  readonly #appearance;
  readonly #nodes;
  readonly #marked;
  readonly #links: LinkBuffer;
  readonly #markedLinks: LinkBuffer;
  /** Number of links drawn so far, without the marked ones. */
  drawnLinks = 0;

  constructor(gl: WebGL2RenderingContext) {
    this.#gl = gl;
    this.#programs = {
      node: createProgram(gl, NODE_VERTEX, NODE_FRAGMENT),
      link: createProgram(gl, LINK_VERTEX, LINK_FRAGMENT),
      arrow: createProgram(gl, ARROW_VERTEX, ARROW_FRAGMENT),
      backBuffer: createProgram(gl, BACK_BUFFER_VERTEX, BACK_BUFFER_FRAGMENT),
    };
    this.#positions = createDataTexture<Float32Array>(gl, { unit: 0, internal: gl.RGBA32F, format: gl.RGBA, type: gl.FLOAT, size: 4 });
    this.#appearance = createDataTexture<Uint8Array>(gl, { unit: 1, internal: gl.RGBA8, format: gl.RGBA, type: gl.UNSIGNED_BYTE, size: 4 });
    const ends = { unit: 2, internal: gl.RG32UI, format: gl.RG_INTEGER, type: gl.UNSIGNED_INT, size: 2 };
    this.#links = { table: createDataTexture<Uint32Array>(gl, ends), count: 0 };
    this.#markedLinks = { table: createDataTexture<Uint32Array>(gl, ends), count: 0 };
    this.#nodes = createIndexBuffer(gl);
    this.#marked = createIndexBuffer(gl);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  get nodeCount(): number {
    return this.#nodes.count();
  }

  get linkCount(): number {
    return this.#links.count;
  }

  setGraph(order: Uint32Array, links: Uint32Array): void {
    this.#nodes.set(order);
    this.#links.table.set(links);
    this.#links.count = links.length / 2;
  }

  setPositions(positions: Float32Array): void {
    this.#positions.set(positions);
  }

  setAppearance(appearance: Uint8Array): void {
    this.#appearance.set(appearance);
  }

  setMarked(nodes: Uint32Array, links: Uint32Array): void {
    this.#marked.set(nodes);
    this.#markedLinks.table.set(links);
    this.#markedLinks.count = links.length / 2;
  }

  /** Clears the current render target of this size in screen pixels. */
  clear(frame: Frame, { width, height }: { readonly width: number; readonly height: number }): void {
    this.#gl.viewport(0, 0, width, height);
    this.#gl.clearColor(...frame.paper, 1);
    this.#gl.clear(this.#gl.COLOR_BUFFER_BIT);
  }

  /** Draws a back buffer where its content belongs in the frame. */
  drawBackBuffer(frame: Frame, drawn: { readonly buffer: BackBuffer; readonly frame: Frame } | null): void {
    const gl = this.#gl;
    if (drawn === null) return;
    const { frame: drawnFrame, buffer } = drawn;
    const { program, at } = this.#programs.backBuffer;
    gl.useProgram(program);
    buffer.bind(3);
    gl.uniform1i(at('picture'), 3);
    const zoom = frame.scale / drawnFrame.scale;
    const x = ((drawnFrame.x - frame.x) * frame.scale) / (frame.width / 2);
    const y = ((drawnFrame.y - frame.y) * frame.scale) / (frame.height / 2);
    const sizeX = (buffer.width / (frame.width * frame.ratio)) * zoom;
    const sizeY = (buffer.height / (frame.height * frame.ratio)) * zoom;
    gl.uniform4f(at('put'), x, -y, sizeX, sizeY);
    gl.uniform3f(at('paper'), ...frame.paper);
    gl.uniform1f(at('dim'), frame.dim);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  /** Draws the marked nodes and links, on top of everything else. */
  drawMarked(frame: Frame): void {
    if (this.#markedLinks.count > 0)
      this.#renderLinks(frame, this.#markedLinks, { from: 0, to: this.#markedLinks.count, isThin: false }, true);
    if (this.#marked.count() > 0) this.#renderNodes(frame, true);
  }

  /** Draws the links `from` up to, but not including, `to`. */
  drawLinks(frame: Frame, range: LinkRange): void {
    this.drawnLinks += range.to - range.from;
    this.#renderLinks(frame, this.#links, range);
  }

  #renderLinks(frame: Frame, ends: LinkBuffer, { from, to, isThin }: LinkRange, isStrong = false): void {
    const gl = this.#gl;
    if (to <= from) return;
    this.#use(this.#programs.link, frame);
    ends.table.bind();
    const { at } = this.#programs.link;
    gl.uniform1f(at('width'), isThin ? 100 : (isStrong ? 1.6 : 1) * frame.ratio);
    gl.uniform1f(at('alpha'), isStrong ? 0.9 : frame.linkAlpha);
    gl.uniform1f(at('fade'), frame.fade);
    gl.uniform1i(at('thin'), isThin ? 1 : 0);
    gl.uniform1i(at('strong'), isStrong ? 1 : 0);
    gl.uniform3f(at('line'), ...(isStrong ? frame.ink : frame.line));
    gl.bindVertexArray(null);
    if (isThin) gl.drawArrays(gl.LINES, from * 2, (to - from) * 2);
    else gl.drawArrays(gl.TRIANGLES, from * 6, (to - from) * 6);
    if (!frame.hasArrows) return;
    this.#use(this.#programs.arrow, frame);
    ends.table.bind();
    const arrow = this.#programs.arrow.at;
    gl.uniform1f(arrow('size'), Math.min(9, 4 + frame.scale * 3) * frame.ratio);
    gl.uniform1f(arrow('alpha'), isStrong ? 1 : Math.min(1, frame.linkAlpha * 2));
    gl.uniform1i(arrow('strong'), isStrong ? 1 : 0);
    gl.uniform3f(arrow('line'), ...(isStrong ? frame.ink : frame.line));
    gl.drawArrays(gl.TRIANGLES, from * 3, (to - from) * 3);
  }

  /** Draws the nodes, or the last ones of the drawing order, which have the most links. */
  drawNodes(frame: Frame, most = Infinity): void {
    this.#renderNodes(frame, false, most);
  }

  #renderNodes(frame: Frame, isMarked: boolean, most = Infinity): void {
    const gl = this.#gl;
    const column = isMarked ? this.#marked : this.#nodes;
    const count = Math.min(most, column.count());
    if (count === 0) return;
    this.#use(this.#programs.node, frame);
    gl.uniform1i(this.#programs.node.at('marked'), isMarked ? 1 : 0);
    gl.uniform3f(this.#programs.node.at('paper'), ...frame.paper);
    gl.bindVertexArray(column.array);
    gl.drawArrays(gl.POINTS, column.count() - count, count);
    gl.bindVertexArray(null);
  }

  #use({ program, at }: Program, frame: Frame): void {
    const gl = this.#gl;
    gl.useProgram(program);
    this.#positions.bind();
    this.#appearance.bind();
    gl.uniform1i(at('positions'), 0);
    gl.uniform1i(at('appearance'), 1);
    gl.uniform1i(at('ends'), 2);
    gl.uniform2f(at('middle'), frame.x, frame.y);
    gl.uniform2f(at('view'), frame.width * frame.ratio, frame.height * frame.ratio);
    gl.uniform1f(at('scale'), frame.scale);
    gl.uniform1f(at('grow'), frame.grow);
    gl.uniform1f(at('ratio'), frame.ratio);
    gl.uniform1f(at('dim'), frame.dim);
  }
}
