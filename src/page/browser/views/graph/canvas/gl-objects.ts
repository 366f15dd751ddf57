import { ROW } from './shaders.ts';

/** A shader program with its uniforms by name. */
export interface Program {
  readonly program: WebGLProgram;
  readonly at: (name: string) => WebGLUniformLocation | null;
}

/** Compiles and links a program. Throws with the browser's log if that fails. */
export function createProgram(gl: WebGL2RenderingContext, vertex: string, fragment: string): Program {
  const program = gl.createProgram();
  for (const [kind, source] of [
    [gl.VERTEX_SHADER, vertex],
    [gl.FRAGMENT_SHADER, fragment],
  ] as const) {
    const shader = gl.createShader(kind);
    if (shader === null) throw new Error('The browser could not create a shader.');
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (gl.getProgramParameter(program, gl.LINK_STATUS) !== true && !gl.isContextLost())
    throw new Error(gl.getProgramInfoLog(program) ?? 'The shader program could not be linked.');
  const known = new Map<string, WebGLUniformLocation | null>();
  return {
    program,
    at(name) {
      if (!known.has(name)) known.set(name, gl.getUniformLocation(program, name));
      return known.get(name) ?? null;
    },
  };
}

/** Creates a buffer of node indices that a vertex shader reads one by one. */
export function createIndexBuffer(gl: WebGL2RenderingContext) {
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

/** The format of a data texture. */
interface TextureFormat {
  readonly internal: number;
  readonly format: number;
  readonly type: number;
  /** Components per texel. */
  readonly size: number;
}

/** Creates a texture that holds one texel per node or link, in rows of `ROW`. */
export function createDataTexture<T extends Float32Array | Uint8Array | Uint32Array>(
  gl: WebGL2RenderingContext,
  { unit, internal, format, type, size }: TextureFormat & { readonly unit: number },
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
      const neededRows = Math.max(1, Math.ceil(values.length / size / ROW));
      const padded = pad(values, neededRows * ROW * size);
      if (neededRows === rows) return gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, ROW, rows, format, type, padded);
      rows = neededRows;
      gl.texImage2D(gl.TEXTURE_2D, 0, internal, ROW, rows, 0, format, type, padded);
      setTextureParameters(gl, gl.NEAREST);
    },
  };
}

/** Sets the filter of the bound texture and clamps it at its edges, without mipmaps. */
export function setTextureParameters(gl: WebGL2RenderingContext, filter: number): void {
  for (const [name, value] of [
    [gl.TEXTURE_MIN_FILTER, filter],
    [gl.TEXTURE_MAG_FILTER, filter],
    [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],
    [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
  ] as const)
    gl.texParameteri(gl.TEXTURE_2D, name, value);
}

function pad<T extends Float32Array | Uint8Array | Uint32Array>(values: T, length: number): T {
  if (values.length === length) return values;
  const padded = new (values.constructor as new (length: number) => T)(length);
  padded.set(values);
  return padded;
}
