import { ROW } from './shaders.ts';

/** A program of the graphics card, with its uniforms by name. */
export interface Program {
  readonly program: WebGLProgram;
  readonly at: (name: string) => WebGLUniformLocation | null;
}

/** Compiles and links; throws with what the browser says where that fails. */
export function openProgram(gl: WebGL2RenderingContext, vertex: string, fragment: string): Program {
  const program = gl.createProgram();
  for (const [kind, source] of [
    [gl.VERTEX_SHADER, vertex],
    [gl.FRAGMENT_SHADER, fragment],
  ] as const) {
    const shader = gl.createShader(kind);
    if (shader === null) throw new Error('The graphics of this browser gave up.');
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (gl.getProgramParameter(program, gl.LINK_STATUS) !== true && !gl.isContextLost())
    throw new Error(gl.getProgramInfoLog(program) ?? 'A shader does not link.');
  const known = new Map<string, WebGLUniformLocation | null>();
  return {
    program,
    at(name) {
      if (!known.has(name)) known.set(name, gl.getUniformLocation(program, name));
      return known.get(name) ?? null;
    },
  };
}

/** Numbers of nodes that a vertex shader reads one by one. */
export function openColumn(gl: WebGL2RenderingContext) {
  const array = gl.createVertexArray();
  const buffer = gl.createBuffer();
  let count = 0;
  gl.bindVertexArray(array);
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribIPointer(0, 1, gl.UNSIGNED_INT, 0, 0);
  gl.bindVertexArray(null);
  return {
    array,
    count: () => count,
    set(values: Uint32Array): void {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
      count = values.length;
    },
  };
}

/** What a texture holds of each node or link. */
interface Cells {
  readonly internal: number;
  readonly format: number;
  readonly type: number;
  /** Numbers to a cell. */
  readonly size: number;
}

/** A texture that holds some numbers by node or link, in rows. */
export function openTable<T extends Float32Array | Uint8Array | Uint32Array>(
  gl: WebGL2RenderingContext,
  { unit, internal, format, type, size }: Cells & { readonly unit: number },
) {
  const texture = gl.createTexture();
  let rows = 0;
  const bind = (): void => {
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, texture);
  };
  return {
    bind,
    set(values: T): void {
      bind();
      const wanted = Math.max(1, Math.ceil(values.length / size / ROW));
      const whole = padded(values, wanted * ROW * size);
      if (wanted === rows) return gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, ROW, rows, format, type, whole);
      rows = wanted;
      gl.texImage2D(gl.TEXTURE_2D, 0, internal, ROW, rows, 0, format, type, whole);
      plain(gl, gl.NEAREST);
    },
  };
}

/** Nothing beyond the rim of the texture that is bound, and no smaller versions of it. */
export function plain(gl: WebGL2RenderingContext, filter: number): void {
  for (const [name, value] of [
    [gl.TEXTURE_MIN_FILTER, filter],
    [gl.TEXTURE_MAG_FILTER, filter],
    [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],
    [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
  ] as const)
    gl.texParameteri(gl.TEXTURE_2D, name, value);
}

function padded<T extends Float32Array | Uint8Array | Uint32Array>(values: T, length: number): T {
  if (values.length === length) return values;
  const whole = new (values.constructor as new (length: number) => T)(length);
  whole.set(values);
  return whole;
}
