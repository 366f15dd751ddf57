import type { Camera } from './camera.ts';
import { drawLabels } from './labels.ts';
import type { LabelFrame } from './labels.ts';

/** The canvas of the labels. They are drawn anew once the camera has come to rest, and pushed along while it is being moved. */
export class LabelLayer {
  readonly #canvas: HTMLCanvasElement;
  /** The camera that they were drawn for; null if they are out of date. */
  #drawn: Camera | null = null;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
  }

  /** Has them drawn anew with the next frame: something else than the camera has changed. */
  expire(): void {
    this.#drawn = null;
  }

  draw(frame: LabelFrame, isMoving: boolean): void {
    const { camera, width, height } = frame;
    const drawn = this.#drawn;
    if (drawn !== null && drawn.scale === camera.scale) {
      const [left, top] = [(drawn.x - camera.x) * camera.scale, (drawn.y - camera.y) * camera.scale];
      if (isMoving ? Math.abs(left) < width / 2 && Math.abs(top) < height / 2 : left === 0 && top === 0)
        return this.#push(`translate(${left}px, ${top}px)`);
    }
    drawLabels(this.#canvas, frame);
    this.#push('');
    this.#drawn = camera;
  }

  #push(transform: string): void {
    this.#canvas.style.transform = transform;
  }
}
