import { plain } from './gl-parts.ts';

/** A picture off the screen, of a size of its own. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Draws go to it until `leave`. */
  enter(): void;
  leave(): void;
  /** Makes it the texture that a shader reads. */
  bind(unit: number): void;
  close(): void;
}

export function openPicture(gl: WebGL2RenderingContext, { width, height }: { readonly width: number; readonly height: number }): Picture {
  const [texture, frame] = [gl.createTexture(), gl.createFramebuffer()];
  const bind = (unit: number): void => {
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, texture);
  };
  bind(3);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
  plain(gl, gl.LINEAR);
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
