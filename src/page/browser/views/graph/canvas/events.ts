import type { Camera } from './camera.ts';

/** How a node was picked. */
export interface Pick {
  readonly isTouch: boolean;
  readonly isNewTab: boolean;
  /** With Shift or Alt: show the notes around it. */
  readonly isLocal: boolean;
}

/** Callbacks of a scene. Nodes are indices into the graph. */
export interface SceneListener {
  onPick(index: number | null, pick: Pick): void;
  onCamera(camera: Camera): void;
}
