import type { BlockedPeriod } from '../watchdog/at-work.ts';
import type { Config } from '../config.ts';
import type { Ports } from '../ports.ts';
import type { OpenFileSystem } from '../store/folder/file-system.ts';
import type { OpenWatch } from '../store/folder/watch.ts';
import type { PdfThreadOptions } from './attachments/worker/pdf-thread.ts';
import type { EmbedderChoice } from './embeddings/embedders.ts';
import type { Share } from './sharing/share.ts';
import type { Pace } from './sync/comparison-schedule.ts';

/**
 * Work for which V8 may be tuned. `warm start`: the cache of the last run is loaded, until a note has to be read after all. `first reading`:
 * all notes are read, as no cache has them. `large write`: many files are written.
 */
export type HeavyWork = 'warm start' | 'first reading' | 'large write';

/** Options of `openVault`. */
export interface VaultOptions {
  readonly root: string;
  readonly config: Config;
  readonly ports: Ports;
  /** Identifies the program version that reads notes: a cache written by another one is not used. Without it nothing is cached. */
  readonly program?: string;
  /** False: reads once and does not watch, for one-shot commands. */
  readonly isFollowing?: boolean;
  /** Called with true when such work begins, and with false when it is over. */
  readonly onHeavyWork?: ((work: HeavyWork, isUnderWay: boolean) => void) | undefined;
  /** Embedder for semantic search; without it there is none. */
  readonly embedding?: EmbedderChoice;
  /** How the thread that reads PDFs is started; only tests change it. */
  readonly pdfThread?: PdfThreadOptions;
  /** The shared vault that the folder follows; null or absent for none. */
  readonly share?: Share | null;
  /**
   * Starts the watchdog of the main thread. `canPersist` says whether it may write into the vault; `onHeld` is called with what blocked the
   * thread.
   */
  readonly watchMainThread?: (canPersist: boolean, onHeld: (held: BlockedPeriod & { readonly message: string }) => void) => void;
  readonly openFileSystem?: OpenFileSystem;
  readonly openWatch?: OpenWatch;
  readonly pace?: Partial<Pace>;
}
