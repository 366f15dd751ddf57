import { setTextureParameters } from './gl-objects.ts';

/** An offscreen framebuffer with its own size. */
export interface BackBuffer {
  readonly width: number;
  readonly height: number;
  /** Directs draw calls to it until `leave`. */
  enter(): void;
  leave(): void;
  /** Binds its content as the texture of a unit. */
  bind(unit: number): void;
  close(): void;
}

export function createBackBuffer(
  gl: WebGL2RenderingContext,
  { width, height }: { readonly width: number; readonly height: number },
): BackBuffer {
  const [texture, frame] = [gl.createTexture(), gl.createFramebuffer()];
  const bind = (unit: number): void => {
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, texture);
  };
  bind(3);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
  setTextureParameters(gl, gl.LINEAR);
  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  return {
    width,
    height,
    enter() {
      gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
      gl.viewport(0, 0, width, height);
    },
    leave: () => gl.bindFramebuffer(gl.FRAMEBUFFER, null),
    bind,
    close() {
      gl.deleteFramebuffer(frame);
      gl.deleteTexture(texture);
    },
  };
}
