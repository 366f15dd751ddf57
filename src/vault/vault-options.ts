import type { Held } from '../watchdog/at-work.ts';
import type { Config } from '../config.ts';
import type { Ports } from '../ports.ts';
import type { OpenFileSystem } from '../store/folder/file-system.ts';
import type { OpenWatch } from '../store/folder/watch.ts';
import type { EmbedderChoice } from './embeddings/embedders.ts';
import type { Share } from './sharing/share.ts';
import type { Pace } from './sync/watching.ts';

/** What a vault is opened with. */
export interface VaultOptions {
  readonly root: string;
  readonly config: Config;
  readonly ports: Ports;
  /** Names the program that reads notes: what another one kept for the next start is not used. Without it nothing is kept. */
  readonly program?: string;
  /** False: read once and do not watch, for one-shot commands. */
  readonly isFollowing?: boolean;
  /** Told when what the last run kept is taken over (true), and when that is done and answered from, or notes are read after all (false). */
  readonly onTakingOver?: (isUnderWay: boolean) => void;
  /** What embeds, for search by meaning; without it there is none. */
  readonly embedding?: EmbedderChoice;
  /** The shared vault that the folder follows; null and without it: none. */
  readonly share?: Share | null;
  /** Starts what watches the main thread; it is given whether it may write into the vault, and says what held the thread. */
  readonly watchMainThread?: (isKeeping: boolean, onHeld: (held: Held & { readonly message: string }) => void) => void;
  readonly openFileSystem?: OpenFileSystem;
  readonly openWatch?: OpenWatch;
  readonly pace?: Partial<Pace>;
}
