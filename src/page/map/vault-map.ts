import { setTimeout as wait } from 'node:timers/promises';
import { errorMessage } from '../../errors.ts';
import { openLayoutThread } from './worker/layout-thread.ts';
import type { LayoutThread } from './worker/layout-thread.ts';
import type { Layout, LayoutAsk } from '../layout/layout.ts';
import { createSlice, runInSlices } from '../../store/slices.ts';
import type { Vault } from '../../vault/vault.ts';
import { decodeLayout, encodeLayout } from './stored-layout.ts';
import type { StoredLayout } from './stored-layout.ts';
import { MapNodes } from './map-nodes.ts';
import type { MapNode } from './map-nodes.ts';
import { MapPlaces } from './places.ts';

/** State of a layout: `done` from 0 to 1. A failed layout is tried again when links change. */
export interface LayoutState {
  readonly state: 'computing' | 'ready' | 'failed';
  readonly done: number;
  /** Whether most nodes have never had a place: what is there so far is no picture of the vault yet. */
  readonly is_first?: true;
}

export interface MapState {
  /** Changes when the map is rebuilt; node numbers then mean other nodes. */
  readonly epoch: string;
  readonly nodes: MapNodes;
  readonly places: MapPlaces;
  readonly layout: LayoutState;
}

/** The notes of a vault laid out in a plane, computed on first use. */
export interface VaultMap {
  /** Returns the up-to-date map, starting a layout if one is due. Waits only briefly for the layout. */
  look(signal: AbortSignal): Promise<MapState>;
  /** Lays out a separate small graph. */
  layOut(ask: LayoutAsk): Promise<Layout>;
  close(): void;
}

/** What a map needs of a vault. */
type MapSource = Pick<Vault, 'graph' | 'ports'> & {
  readonly notes: Pick<Vault['notes'], 'onChange'>;
  readonly cache: Pick<Vault['cache'], 'load' | 'save'>;
};

/** Name of the cache file. */
const FILE = 'layout';
/** Time that an answer waits for a layout: enough for a small vault. */
const MAX_LAYOUT_WAIT_MS = 400;
/** Delay before a new layout is saved. */
const SAVE_DELAY_MS = 2_000;

/** Creates the map of a vault, for `vault.derived`. Nothing is computed before `look`. */
export function openVaultMap(vault: MapSource): VaultMap {
  return new OpenMap(vault);
}

class OpenMap implements VaultMap {
  readonly #vault: MapSource;
  readonly #thread: LayoutThread = openLayoutThread();
  #open: Promise<Opened> | null = null;
  #stop: () => void = () => undefined;
  #saving: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(vault: MapSource) {
    this.#vault = vault;
  }

  async look(signal: AbortSignal): Promise<MapState> {
    let opened = await (this.#open ??= this.#begin());
    if (opened.nodes.isStale) {
      this.#open = this.#begin(this.#keep(opened));
      opened = await this.#open;
    }
    opened.nodes.catchUp();
    const isNew = opened.layout.state === 'computing' ? false : this.#isDue(opened);
    if (isNew) this.#start(opened);
    // A caller that follows a running layout asks again anyway.
    if (isNew) await Promise.race([opened.running, wait(MAX_LAYOUT_WAIT_MS, undefined, { signal, ref: false }).catch(() => undefined)]);
    const { epoch, nodes, places, layout } = opened;
    return { epoch, nodes, places, layout };
  }

  layOut(ask: LayoutAsk): Promise<Layout> {
    return this.#thread.layOut(ask);
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
    if (this.#saving !== null) clearTimeout(this.#saving);
    this.#thread.close();
  }

  async #begin(before?: StoredLayout): Promise<Opened> {
    const { graph } = this.#vault;
    this.#stop();
    const nodes = new MapNodes(graph);
    const stops = [graph.onChange((changes) => nodes.follow(changes)), this.#vault.notes.onChange((paths) => nodes.followFiles(paths))];
    this.#stop = () => stops.forEach((stop) => stop());
    await runInSlices(createSlice(), nodes.fill());
    const places = new MapPlaces();
    const kept = before ?? this.#load();
    const touched = new Set<number>();
    if (kept !== null) {
      const ids = new Map([...nodes.nodes()].map((node) => [keyOf(node), node.id]));
      places.restore(kept, (key) => ids.get(key) ?? null);
      const degrees = degreesOf(nodes);
      for (const [at, key] of kept.keys.entries()) {
        const id = ids.get(key);
        if (id !== undefined && degrees[id] !== kept.degree[at]) touched.add(id);
      }
    }
    return { epoch: this.#vault.ports.newId(), nodes, places, touched, running: null, layout: { state: 'ready', done: 1 } };
  }

  #isDue({ nodes, places, touched, running }: Opened): boolean {
    if (running !== null || this.#isClosed) return false;
    if (touched.size > 0 || nodes.hasTouched) return true;
    for (const node of nodes.nodes()) if (isLaidOut(node) && !places.hasPlace(node.id)) return true;
    return false;
  }

  #start(opened: Opened): void {
    const { nodes, places } = opened;
    const laidOut = [...nodes.nodes()].filter(isLaidOut);
    const ids = Int32Array.from(laidOut, ({ id }) => id);
    const touched = new Set([...opened.touched, ...nodes.takeTouched()]);
    opened.touched = new Set();
    const placed = laidOut.filter(({ id }) => places.hasPlace(id)).length;
    const first = placed * 2 < laidOut.length ? ({ is_first: true } as const) : {};
    opened.layout = { state: 'computing', done: 0, ...first };
    const former = {
      x: Float32Array.from(ids, (id) => places.xOf(id)),
      y: Float32Array.from(ids, (id) => places.yOf(id)),
      isTouched: Uint8Array.from(ids, (id) => (touched.has(id) ? 1 : 0)),
    };
    opened.running = this.#thread
      .layOut({ links: linksOf(laidOut, nodes.end), former }, (done, now) => {
        places.move(ids, now);
        opened.layout = { state: 'computing', done, ...first };
      })
      .then(
        (layout) => {
          places.settle(ids, layout);
          opened.layout = { state: 'ready', done: 1 };
          this.#saveSoon(opened);
        },
        (error: unknown) => {
          opened.layout = { state: 'failed', done: 0 };
          if (!this.#isClosed) this.#vault.ports.log.warn(`The graph could not be laid out: ${errorMessage(error)}`);
        },
      )
      .finally(() => (opened.running = null));
  }

  #saveSoon(opened: Opened): void {
    if (this.#isClosed) return;
    this.#saving ??= setTimeout(() => {
      this.#saving = null;
      this.#vault.cache
        .save(FILE, encodeLayout(this.#keep(opened)))
        .catch((error: unknown) => this.#vault.ports.log.info(`The layout cannot be saved: ${errorMessage(error)}`));
    }, SAVE_DELAY_MS).unref();
  }

  #keep({ nodes, places }: Opened): StoredLayout {
    const placed = [...nodes.nodes()].filter((node) => isLaidOut(node) && places.hasPlace(node.id));
    const degrees = degreesOf(nodes);
    return {
      keys: placed.map(keyOf),
      x: Float32Array.from(placed, ({ id }) => places.xOf(id)),
      y: Float32Array.from(placed, ({ id }) => places.yOf(id)),
      degree: Int32Array.from(placed, ({ id }) => degrees[id] ?? 0),
      community: Int32Array.from(placed, ({ id }) => places.communityOf(id)),
    };
  }

  #load(): StoredLayout | null {
    const bytes = this.#vault.cache.load(FILE);
    return bytes === null ? null : decodeLayout(bytes);
  }
}

interface Opened extends MapState {
  /** Nodes whose links changed since the layout was stored. */
  touched: ReadonlySet<number>;
  running: Promise<unknown> | null;
  layout: LayoutState;
}

/** Attachments are placed beside the notes that show them, so showing them moves nothing else. */
function isLaidOut({ kind }: MapNode): boolean {
  return kind !== 'attachment';
}

function keyOf({ kind, name }: MapNode): string {
  return kind === 'unresolved' ? `?${name}` : name;
}

function degreesOf(nodes: MapNodes): Int32Array {
  const degrees = new Int32Array(nodes.end);
  for (const { id, out } of nodes.nodes()) {
    degrees[id] = (degrees[id] ?? 0) + out.length;
    for (const target of out) degrees[target] = (degrees[target] ?? 0) + 1;
  }
  return degrees;
}

/** Returns the links among some nodes, by their indexes in the list. */
function linksOf(listed: readonly MapNode[], end: number): LayoutAsk['links'] {
  const at = new Int32Array(end).fill(-1);
  for (const [place, { id }] of listed.entries()) at[id] = place;
  const [from, to]: [number[], number[]] = [[], []];
  for (const [place, { out }] of listed.entries()) {
    for (const target of out) {
      const other = at[target] ?? -1;
      if (other < 0) continue;
      from.push(place);
      to.push(other);
    }
  }
  return { count: listed.length, from: Int32Array.from(from), to: Int32Array.from(to) };
}
