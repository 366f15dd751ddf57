import type { Camera } from './camera.ts';
import type { Inks } from './inks.ts';

/** How a node was chosen. */
export interface Pick {
  readonly isTouch: boolean;
  readonly isNewTab: boolean;
  /** With a modifier: its surroundings are wanted. */
  readonly isLocal: boolean;
}

/** Who hears what happens on the stage. Nodes are places in the chart. */
export interface StageListener {
  onHover(place: number | null): void;
  onPick(place: number | null, pick: Pick): void;
  onCamera(camera: Camera): void;
}

/** What nodes look like. */
export interface Looks {
  readonly shown: Uint8Array;
  /** What is looked for; null: nothing, all are as they are. */
  readonly lit: ReadonlySet<number> | null;
  readonly colourOf: Int8Array;
  readonly inks: Inks;
  readonly hasArrows: boolean;
}
