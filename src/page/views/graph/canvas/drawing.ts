import type { Frame } from './frame.ts';
import { openColumn, openProgram, openTable } from './gl-parts.ts';
import type { Program } from './gl-parts.ts';
import type { Picture } from './picture.ts';
import {
  ARROW_FRAGMENT,
  ARROW_VERTEX,
  LINK_FRAGMENT,
  LINK_VERTEX,
  NODE_FRAGMENT,
  NODE_VERTEX,
  PICTURE_FRAGMENT,
  PICTURE_VERTEX,
} from './shaders.ts';

/** A part of the graph on the card: pairs of ends, which shaders find by the number of the link. */
interface Ends {
  readonly table: { bind(): void; set(values: Uint32Array): void };
  count: number;
}

/** Which links are drawn, and how. */
interface LinkStretch {
  readonly from: number;
  readonly to: number;
  /** As lines of one pixel, which is less work. */
  readonly isThin: boolean;
}

/** The graph on the graphics card, and what can be drawn of it. */
export class Drawing {
  readonly #gl: WebGL2RenderingContext;
  readonly #programs: Readonly<Record<'node' | 'link' | 'arrow' | 'picture', Program>>;
  readonly #places;
  readonly #looks;
  readonly #nodes;
  readonly #marked;
  readonly #links: Ends;
  readonly #markedLinks: Ends;

  constructor(gl: WebGL2RenderingContext) {
    this.#gl = gl;
    this.#programs = {
      node: openProgram(gl, NODE_VERTEX, NODE_FRAGMENT),
      link: openProgram(gl, LINK_VERTEX, LINK_FRAGMENT),
      arrow: openProgram(gl, ARROW_VERTEX, ARROW_FRAGMENT),
      picture: openProgram(gl, PICTURE_VERTEX, PICTURE_FRAGMENT),
    };
    this.#places = openTable<Float32Array>(gl, { unit: 0, internal: gl.RGBA32F, format: gl.RGBA, type: gl.FLOAT, size: 4 });
    this.#looks = openTable<Uint8Array>(gl, { unit: 1, internal: gl.RGBA8, format: gl.RGBA, type: gl.UNSIGNED_BYTE, size: 4 });
    const ends = { unit: 2, internal: gl.RG32UI, format: gl.RG_INTEGER, type: gl.UNSIGNED_INT, size: 2 };
    this.#links = { table: openTable<Uint32Array>(gl, ends), count: 0 };
    this.#markedLinks = { table: openTable<Uint32Array>(gl, ends), count: 0 };
    this.#nodes = openColumn(gl);
    this.#marked = openColumn(gl);
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

  setPlaces(places: Float32Array): void {
    this.#places.set(places);
  }

  setLooks(looks: Uint8Array): void {
    this.#looks.set(looks);
  }

  setMarked(nodes: Uint32Array, links: Uint32Array): void {
    this.#marked.set(nodes);
    this.#markedLinks.table.set(links);
    this.#markedLinks.count = links.length / 2;
  }

  /** Empties what is drawn to, of this size in pixels of the screen. */
  clear(frame: Frame, { width, height }: { readonly width: number; readonly height: number }): void {
    this.#gl.viewport(0, 0, width, height);
    this.#gl.clearColor(...frame.paper, 1);
    this.#gl.clear(this.#gl.COLOR_BUFFER_BIT);
  }

  /** Draws a picture to where what it shows is now. */
  picture(frame: Frame, drawn: { readonly picture: Picture; readonly frame: Frame } | null): void {
    const gl = this.#gl;
    if (drawn === null) return;
    const { frame: then, picture } = drawn;
    const { program, at } = this.#programs.picture;
    gl.useProgram(program);
    picture.bind(3);
    gl.uniform1i(at('picture'), 3);
    const zoom = frame.scale / then.scale;
    const x = ((then.x - frame.x) * frame.scale) / (frame.width / 2);
    const y = ((then.y - frame.y) * frame.scale) / (frame.height / 2);
    const sizeX = (picture.width / (frame.width * frame.ratio)) * zoom;
    const sizeY = (picture.height / (frame.height * frame.ratio)) * zoom;
    gl.uniform4f(at('put'), x, -y, sizeX, sizeY);
    gl.uniform3f(at('paper'), ...frame.paper);
    gl.uniform1f(at('dim'), frame.dim);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  /** Draws what is marked, over all others. */
  marked(frame: Frame): void {
    if (this.#markedLinks.count > 0)
      this.#drawLinks(frame, this.#markedLinks, { from: 0, to: this.#markedLinks.count, isThin: false }, true);
    if (this.#marked.count() > 0) this.#drawNodes(frame, true);
  }

  /** Draws the links from one number up to, without it, another. */
  links(frame: Frame, stretch: LinkStretch): void {
    this.#drawLinks(frame, this.#links, stretch);
  }

  #drawLinks(frame: Frame, ends: Ends, { from, to, isThin }: LinkStretch, isStrong = false): void {
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

  nodes(frame: Frame): void {
    this.#drawNodes(frame, false);
  }

  #drawNodes(frame: Frame, isMarked: boolean): void {
    const gl = this.#gl;
    const column = isMarked ? this.#marked : this.#nodes;
    if (column.count() === 0) return;
    this.#use(this.#programs.node, frame);
    gl.uniform1i(this.#programs.node.at('marked'), isMarked ? 1 : 0);
    gl.uniform3f(this.#programs.node.at('paper'), ...frame.paper);
    gl.bindVertexArray(column.array);
    gl.drawArrays(gl.POINTS, 0, column.count());
    gl.bindVertexArray(null);
  }

  #use({ program, at }: Program, frame: Frame): void {
    const gl = this.#gl;
    gl.useProgram(program);
    this.#places.bind();
    this.#looks.bind();
    gl.uniform1i(at('places'), 0);
    gl.uniform1i(at('looks'), 1);
    gl.uniform1i(at('ends'), 2);
    gl.uniform2f(at('middle'), frame.x, frame.y);
    gl.uniform2f(at('view'), frame.width * frame.ratio, frame.height * frame.ratio);
    gl.uniform1f(at('scale'), frame.scale);
    gl.uniform1f(at('grow'), frame.grow);
    gl.uniform1f(at('ratio'), frame.ratio);
    gl.uniform1f(at('dim'), frame.dim);
  }
}
