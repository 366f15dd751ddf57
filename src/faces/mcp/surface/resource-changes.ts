import type { Session } from '../../../ops/session.ts';
import { MEMORY, listUriSpellings, toPath, VAULT } from './resource-uris.ts';

/** How long changes of the list are collected before clients are notified. */
const LIST_DEBOUNCE_MS = 250;
/**
 * How long a changed file is awaited: one change may look like two, when a file is briefly empty while it is written or missing while git
 * replaces it.
 */
const UPDATE_DEBOUNCE_MS = 100;

/** The resources affected by a change. */
export interface Touched {
  has(uri: string): boolean;
  /** Returns all their URIs in every spelling that a client may have used. */
  uris(): Iterable<string>;
}

/** Receives changes of resources. */
export interface ResourceListener {
  updated(touched: Touched): void;
  /** Called once for a burst of changes to the list. */
  listChanged(): void;
}

/** A source of changes of resources. */
export interface Followable {
  /** Notifies a listener from now on, once the vault is ready; resolves to a function that stops it. */
  follow(listener: ResourceListener): Promise<() => void>;
}

/** Notifies a listener of all changes of the vault, wherever they come from; resolves to a function that stops it. */
export async function followResources(session: Session, memoryRoot: string, listener: ResourceListener): Promise<() => void> {
  let updating: NodeJS.Timeout | null = null;
  let listing: NodeJS.Timeout | null = null;
  const changed = new Set<string>();
  const tellUpdated = (): void => {
    updating = null;
    const paths = [...changed];
    changed.clear();
    listener.updated(findTouched(paths, memoryRoot));
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

function findTouched(paths: readonly string[], memoryRoot: string): Touched {
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
      for (const path of paths) yield* listUriSpellings(path);
    },
  };
}

/** Follows a surface from the first time that a client wants to be notified. */
export class ChangeFollower {
  readonly #surface: Followable;
  readonly #listener: ResourceListener;
  #stop: Promise<() => void> | null = null;

  constructor(surface: Followable, listener: ResourceListener) {
    this.#surface = surface;
    this.#listener = listener;
  }

  /** Resolves when changes are being watched. Rejects if the vault cannot be opened; a later call tries again. */
  async start(): Promise<void> {
    this.#stop ??= this.#surface.follow(this.#listener);
    try {
      await this.#stop;
    } catch (error) {
      this.#stop = null;
      throw error;
    }
  }

  stop(): void {
    this.#stop?.then(
      (stop) => stop(),
      () => undefined,
    );
  }
}
