import { readBlocks, toBlock } from '../../../../vault/cache/blocks.ts';
import type { Vault } from '../../../../vault/vault.ts';
import type { SavedTextIndex } from '../text-index/fact-text-index.ts';
import type { Stored, StoredEntity, StoredEpisode, StoredStatement } from '../shapes.ts';
import { LazyFacts } from './lazy-facts.ts';
import { LazyStatements } from './lazy-statements.ts';

/*
 * The notes of the knowledge graph and the text indexes of its groups, as blocks:
 *
 *   meta as JSON | a row for each note as JSON | lines of facts and statements as JSON, a text for each note | a text index for each group
 */

/** A note as it was read. */
export interface CachedNote {
  readonly path: string;
  /** The hash of its bytes, and its time in milliseconds. */
  readonly hash: string;
  readonly modifiedMs: number;
  /** Null for a note that is no entity and no episode. */
  readonly stored: Stored | null;
  /** The lines of its facts, or its statements, as JSON; null if the note was read by this process. */
  readonly content: Buffer | null;
}

/** The target of a link, and the name by which facts that lead to it are found. */
export type CachedTarget = readonly [path: string, name: string];

/** What the links of a fact led to: the index of a target, or one of the constants below. */
type CachedLink = readonly [linkpath: string, target: number];

const UNRESOLVED = -1;
/** It depends on more than notes. */
const UNCERTAIN = -2;

export interface KnowledgeCache {
  readonly notes: readonly CachedNote[];
  readonly texts: ReadonlyMap<string, SavedTextIndex>;
  /** Yields the entities with the links that lead elsewhere now. */
  movedLinks(resolve: Resolve): Generator<readonly [path: string, linkpath: string]>;
}

/** Resolves a link: to a target; `uncertain` if it does so only because a rename was seen. */
type Resolve = (linkpath: string, from: string) => CachedTarget | 'uncertain' | null;

interface Meta {
  readonly root: string;
  readonly icu: string;
  readonly targets: readonly CachedTarget[];
  readonly groups: readonly { readonly id: string; readonly keys: readonly string[] }[];
}

type Row = readonly [path: string, hash: string, modifiedMs: number, header: Header | null, links: readonly CachedLink[], content: number];

/** A stored note without what is parsed when it is first asked for. */
type Header =
  | (Omit<StoredEntity, 'facts' | 'factLines' | 'fact' | 'linkpaths'> & { readonly linkpaths?: undefined })
  | Omit<StoredEpisode, 'statements'>;

const NAME = 'knowledge';
/** Segments scripts without spaces into words. */
const ICU = process.versions['icu'] ?? 'none';

/** Loads what this program saved for the notes below a folder; null if there is nothing. */
export function loadKnowledge(vault: Vault, root: string): KnowledgeCache | null {
  const bytes = vault.cache.loadDerived(NAME);
  if (bytes === null) return null;
  const [first, second, lines, ...indexes] = readBlocks(bytes);
  if (first === undefined || second === undefined || lines === undefined) return null;
  const meta = JSON.parse(first.toString('utf8')) as Meta;
  if (meta.root !== root || meta.icu !== ICU) return null;
  const rows = JSON.parse(second.toString('utf8')) as readonly Row[];
  // Copied, so that the rest of the file is not held in memory with it once the text indexes are loaded.
  const content = Buffer.from(lines);
  let end = 0;
  const notes = rows.map((row) => {
    const start = end;
    end += row[5];
    return toNote(row, content.subarray(start, end));
  });
  return {
    notes,
    texts: new Map(meta.groups.map(({ id, keys }, at) => [id, { keys, bytes: indexes[at] ?? new Uint8Array(0) }])),
    *movedLinks(resolve) {
      for (const [path, , , , links] of rows)
        for (const [linkpath, target] of links) {
          const now = resolve(linkpath, path);
          const before = meta.targets[target];
          const isSame = now === null ? target === UNRESOLVED : now !== 'uncertain' && now[0] === before?.[0] && now[1] === before[1];
          if (!isSame) yield [path, linkpath];
        }
    },
  };
}

/** Saves it when the vault is idle. `pack`: from `packKnowledge`. */
export function saveKnowledge(vault: Vault, pack: () => Generator<void, readonly Uint8Array[] | null>): void {
  vault.cache.saveLater(NAME, pack);
}

/** Packs notes, by path, and text indexes, in steps between which nothing may change. */
export function* packKnowledge(known: {
  readonly root: string;
  readonly notes: Iterable<CachedNote>;
  readonly texts: Iterable<{ readonly id: string; pack(): Generator<void, SavedTextIndex | null> }>;
  readonly resolve: Resolve;
}): Generator<void, readonly Uint8Array[]> {
  const targets: CachedTarget[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (target: ReturnType<Resolve>): number => {
    if (target === null || target === 'uncertain') return target === null ? UNRESOLVED : UNCERTAIN;
    const number = numbers.get(target[0]) ?? targets.push(target) - 1;
    numbers.set(target[0], number);
    return number;
  };
  const rows: Buffer[] = [];
  const contents: Buffer[] = [];
  for (const { path, hash, modifiedMs, stored, content: before } of known.notes) {
    const content = before ?? contentOf(stored);
    const linkpaths = stored?.kind === 'entity' ? stored.linkpaths : [];
    const links = linkpaths.map((linkpath): CachedLink => [linkpath, numberOf(known.resolve(linkpath, path))]);
    const header = stored?.kind === 'entity' ? { ...stored, linkpaths: undefined } : stored;
    // JSON has no infinities: such a note is read again.
    const isWhole = stored?.kind !== 'entity' || isJson(stored.attributes);
    const row = [path, isWhole ? hash : '', modifiedMs, header, links, content.length];
    rows.push(Buffer.from(`${rows.length === 0 ? '[' : ','}${JSON.stringify(row)}`));
    contents.push(content);
    yield;
  }
  rows.push(Buffer.from(rows.length === 0 ? '[]' : ']'));
  const groups: { id: string; keys: readonly string[] }[] = [];
  const indexes: Uint8Array[] = [];
  for (const group of known.texts) {
    const saved = yield* group.pack();
    if (saved === null) continue;
    groups.push({ id: group.id, keys: saved.keys });
    indexes.push(...toBlock([saved.bytes]));
  }
  const meta: Meta = { root: known.root, icu: ICU, targets, groups };
  return [...toBlock([Buffer.from(JSON.stringify(meta))]), ...toBlock(rows), ...toBlock(contents), ...indexes];
}

function contentOf(stored: Stored | null): Buffer {
  if (stored === null) return Buffer.alloc(0);
  return Buffer.from(JSON.stringify(stored.kind === 'entity' ? stored.factLines : stored.statements));
}

function toNote([path, hash, modifiedMs, header, links]: Row, content: Buffer): CachedNote {
  return { path, hash, modifiedMs, stored: header === null ? null : toStored(header, { links, modifiedMs, content }), content };
}

function toStored(
  header: Header,
  { links, modifiedMs, content }: { readonly links: readonly CachedLink[]; readonly modifiedMs: number; readonly content: Buffer },
): Stored {
  const read = (): unknown => JSON.parse(content.toString('utf8'));
  if (header.kind === 'episode') return Object.assign(new LazyStatements(() => read() as readonly StoredStatement[]), header);
  const lines = {
    uuids: header.factUuids,
    lines: () => read() as readonly string[],
    name: header.name,
    modified: new Date(modifiedMs).toISOString(),
  };
  return Object.assign(new LazyFacts(lines), header, { linkpaths: links.map(([linkpath]) => linkpath) });
}

function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  return typeof value !== 'object' || value === null || Object.values(value).every(isJson);
}
