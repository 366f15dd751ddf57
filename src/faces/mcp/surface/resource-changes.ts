import type { Session } from '../../../ops/session.ts';
import { MEMORY, spellings, toPath, VAULT } from './resource-uris.ts';

/** How long a burst of new or gone notes is gathered before clients are told that the list changed. */
const LIST_DEBOUNCE_MS = 250;
/** So long one change may look like two: a file that is written in place is empty for a moment, one that git replaces is gone. */
const UPDATE_DEBOUNCE_MS = 100;

/** The resources that one change concerns. */
export interface Touched {
  has(uri: string): boolean;
  /** Every address of them that a client may have asked for. */
  uris(): Iterable<string>;
}

/** Who is told of changes. */
export interface ResourceListener {
  updated(touched: Touched): void;
  /** The list of resources changed: told once for a burst. */
  listChanged(): void;
}

/** What tells of changes of resources. */
export interface Followable {
  /** Tells a listener from now on; gives what ends it. Waits for the vault. */
  follow(listener: ResourceListener): Promise<() => void>;
}

/** Tells a listener of every change of the vault, from whichever side it came; gives what ends it. */
export async function followResources(session: Session, memoryRoot: string, listener: ResourceListener): Promise<() => void> {
  let updating: NodeJS.Timeout | null = null;
  let listing: NodeJS.Timeout | null = null;
  const changed = new Set<string>();
  const tellUpdated = (): void => {
    updating = null;
    const paths = [...changed];
    changed.clear();
    listener.updated(touchedBy(paths, memoryRoot));
  };
  const tellList = (): void => {
    listing = null;
    listener.listChanged();
  };
  const stop = await session.follow(({ paths, isListChanged }) => {
    for (const path of paths) changed.add(path);
    if (changed.size > 0) updating ??= setTimeout(tellUpdated, UPDATE_DEBOUNCE_MS);
    if (isListChanged) listing ??= setTimeout(tellList, LIST_DEBOUNCE_MS);
  });
  return () => {
    stop();
    for (const timer of [updating, listing]) if (timer !== null) clearTimeout(timer);
  };
}

function touchedBy(paths: readonly string[], memoryRoot: string): Touched {
  let changed: ReadonlySet<string> | null = null;
  const isMemory = (): boolean => paths.some((path) => path.startsWith(`${memoryRoot}/`));
  return {
    has: (uri) => {
      if (uri === VAULT) return true;
      if (uri === MEMORY) return isMemory();
      const path = toPath(uri);
      return path !== null && (changed ??= new Set(paths)).has(path);
    },
    *uris() {
      yield VAULT;
      if (isMemory()) yield MEMORY;
      for (const path of paths) yield* spellings(path);
    },
  };
}

/** Follows a surface from the first time that somebody wants to hear of changes. */
export class Following {
  readonly #surface: Followable;
  readonly #listener: ResourceListener;
  #stop: Promise<() => void> | null = null;

  constructor(surface: Followable, listener: ResourceListener) {
    this.#surface = surface;
    this.#listener = listener;
  }

  /** Resolves when changes are told from now on. Rejects where the vault cannot be opened; it may be there the next time. */
  async begin(): Promise<void> {
    this.#stop ??= this.#surface.follow(this.#listener);
    try {
      await this.#stop;
    } catch (error) {
      this.#stop = null;
      throw error;
    }
  }

  end(): void {
    this.#stop?.then(
      (stop) => stop(),
      () => undefined,
    );
  }
}
