import { normalizeName, normalizeRelation } from '../../../extraction/names.ts';
import { linkKey, baseName } from '../../../note/path.ts';
import type { VectorCollection } from '../../../graph/semantic/embeddings.ts';
import { GroupTexts } from './cached/group-texts.ts';
import type { IndexedText } from './cached/group-texts.ts';
import type { SavedTextIndex } from './text-index/fact-text-index.ts';
import type { Neighbors } from './text-index/context-scores.ts';
import { GroupStatements, uuidOf } from './group-statements.ts';
import type { FoundStatement } from './group-statements.ts';
import { NameIndex } from './name-index.ts';
import type { Stored, StoredEntity, StoredEpisode, StoredFact } from './shapes.ts';
import { toFact } from './statements.ts';

/** A fact and what states it: an entity, or for a statement the episode, or the entity of its speaker. */
export interface FoundFact {
  readonly fact: StoredFact;
  readonly source: FactSource;
}

export type FactSource = Pick<StoredEntity, 'uuid' | 'name' | 'path' | 'groupId'>;

/** One group; groups are isolated from each other (S3-04). */
export interface KnowledgeGroup {
  readonly id: string;
  entity(uuid: string): StoredEntity | null;
  /** Returns the entity with a normalised name; the oldest if there are several (S3-29). */
  named(key: string): StoredEntity | null;
  entities(): readonly StoredEntity[];
  episode(uuid: string): StoredEpisode | null;
  episodes(): readonly StoredEpisode[];
  /** Returns the episode that was accepted last with a hash, or null. */
  episodeOf(hash: string): StoredEpisode | null;
  /** Finds a fact, or a statement as a fact. */
  fact(uuid: string): FoundFact | null;
  statement(uuid: string): FoundStatement | null;
  /** Returns what counts for an indexed sentence besides (`ContextScores`); nothing for a fact. */
  neighbors(key: string): readonly Neighbors[];
  /** Returns whether a fact of the group declares that an entity has one value of this relation at a time. */
  isSingle(relation: string): boolean;
  /** Number of facts and statements. */
  readonly size: number;
  /** What they are found by. */
  readonly texts: Pick<GroupTexts, 'index' | 'embedding' | 'whenEmbedded'>;
}

/** The parts of the index that a group uses. */
export interface GroupContext {
  at(path: string): Stored | undefined;
  /** Returns the file, of those with one uuid, that is not a copy. */
  original(uuid: string, paths: readonly string[]): string;
  /** Returns the target of a fact; null if it is unresolved. */
  target(fact: StoredFact, from: string): { readonly name: string; readonly path: string } | null;
  /** Vectors of all facts, by `<group>/<uuid>`. */
  readonly vectors: Pick<VectorCollection, 'set' | 'delete' | 'has' | 'whenSettled'>;
  /** Called when a text index was built, for the next start. */
  onBuilt(): void;
}

/** A group that the index updates as notes change. */
export class Group implements KnowledgeGroup {
  readonly id: string;
  readonly #context: GroupContext;
  readonly #entities = new NameIndex();
  readonly #names = new NameIndex();
  readonly #episodes = new NameIndex();
  readonly #hashes = new NameIndex();
  /** Paths of the notes that contain a fact with this uuid. */
  readonly #facts = new NameIndex();
  /** Paths of the notes with a fact that declares its relation one-valued. */
  readonly #single = new NameIndex();
  readonly #statements = new GroupStatements();
  readonly texts: GroupTexts;
  /** Dropped entities by path, and changed facts, until text index and vectors are updated. */
  readonly #dropped = new Map<string, StoredEntity>();
  readonly #changed = new Set<string>();

  constructor(id: string, context: GroupContext) {
    this.id = id;
    this.#context = context;
    this.texts = new GroupTexts({
      groupId: id,
      uuids: () => [...this.#facts.keys(), ...this.#statements.uuids()],
      textsOf: (uuid) => this.#textsOf(uuid),
      vectors: context.vectors,
      onBuilt: () => context.onBuilt(),
    });
  }

  put(stored: Stored): void {
    this.add(stored);
    if (stored.kind === 'episode') this.#markStatements(stored);
    else this.#markChanged(stored);
  }

  /** Adds a note, as it was when the text index was made. */
  add(stored: Stored): void {
    if (stored.kind === 'episode') {
      this.#episodes.put(stored.uuid, stored.path);
      if (stored.ingest !== null) this.#hashes.put(stored.ingest.hash, stored.path);
      this.#statements.put(stored);
      return;
    }
    this.#entities.put(stored.uuid, stored.path);
    this.#names.put(stored.key, stored.path);
    for (const uuid of stored.factUuids) this.#facts.put(uuid, stored.path);
    for (const relation of stored.singleRelations) this.#single.put(relation, stored.path);
  }

  drop(stored: Stored): void {
    if (stored.kind === 'episode') {
      this.#episodes.drop(stored.uuid, stored.path);
      if (stored.ingest !== null) this.#hashes.drop(stored.ingest.hash, stored.path);
      this.#statements.drop(stored);
      this.#markStatements(stored);
      return;
    }
    this.#entities.drop(stored.uuid, stored.path);
    this.#names.drop(stored.key, stored.path);
    for (const uuid of stored.factUuids) this.#facts.drop(uuid, stored.path);
    for (const relation of stored.singleRelations) this.#single.drop(relation, stored.path);
    this.#markCopies(this.#entities, stored);
    // A changed note is dropped and put again; facts that stay the same are not indexed again.
    this.#dropped.set(stored.path, stored);
  }

  #markStatements(stored: StoredEpisode): void {
    for (const uuid of stored.statementUuids) this.#changed.add(uuid);
    this.#markCopies(this.#episodes, stored);
  }

  /** Marks what the other files with the uuid of a note say: another one of them may be served now. */
  #markCopies(files: NameIndex, { uuid, path }: Stored): void {
    for (const other of files.get(uuid)) {
      const stored = other === path ? undefined : this.#context.at(other);
      for (const each of stored === undefined ? [] : factsOf(stored)) this.#changed.add(each);
    }
  }

  /** Marks the facts of an entity that differ from before for indexing. */
  #markChanged(stored: StoredEntity): void {
    const before = this.#dropped.get(stored.path);
    const known = new Map(
      before?.name === stored.name && describeEntity(before) === describeEntity(stored)
        ? before.factUuids.map((uuid, at) => [uuid, before.factLines[at]])
        : [],
    );
    for (const [at, uuid] of stored.factUuids.entries()) if (known.get(uuid) !== stored.factLines[at]) this.#changed.add(uuid);
    const left = new Set(stored.factUuids);
    for (const uuid of before?.factUuids ?? []) if (!left.has(uuid)) this.#changed.add(uuid);
    this.#dropped.delete(stored.path);
    this.#markCopies(this.#entities, stored);
  }

  /** Marks the facts of an entity whose links may mean a file (`linkKey`) for indexing. */
  relink(source: StoredEntity, key: string): void {
    if (!source.linkpaths.some((linkpath) => linkKey(linkpath) === key)) return;
    for (const fact of source.facts) if (linkKey(fact.linkpath) === key) this.#changed.add(fact.uuid);
  }

  /** Uses the text index of the notes that were added. */
  restore(texts: SavedTextIndex): void {
    this.texts.restore(texts);
    // Which of several files is served follows from the history, which may be another by now.
    for (const files of [this.#entities, this.#episodes])
      for (const uuid of files.shared())
        for (const path of files.get(uuid)) {
          const stored = this.#context.at(path);
          for (const each of stored === undefined ? [] : factsOf(stored)) this.#changed.add(each);
        }
  }

  /** Updates text index and vectors. */
  settle(): void {
    for (const { factUuids } of this.#dropped.values()) for (const uuid of factUuids) this.#changed.add(uuid);
    this.#dropped.clear();
    this.texts.update(this.#changed);
    this.#changed.clear();
  }

  entity(uuid: string): StoredEntity | null {
    const stored = this.#served(uuid, this.#entities.get(uuid));
    return stored?.kind === 'entity' ? stored : null;
  }

  named(key: string): StoredEntity | null {
    const found = this.#names
      .get(key)
      .flatMap((path) => this.#context.at(path) ?? [])
      .filter((stored) => stored.kind === 'entity')
      .filter((stored) => this.entity(stored.uuid) === stored);
    return found.sort((a, b) => (`${a.createdAt} ${a.uuid}` < `${b.createdAt} ${b.uuid}` ? -1 : 1))[0] ?? null;
  }

  entities(): readonly StoredEntity[] {
    return this.#entities.keys().flatMap((uuid) => this.entity(uuid) ?? []);
  }

  episode(uuid: string): StoredEpisode | null {
    const stored = this.#served(uuid, this.#episodes.get(uuid));
    return stored?.kind === 'episode' ? stored : null;
  }

  episodes(): readonly StoredEpisode[] {
    return this.#episodes.keys().flatMap((uuid) => this.episode(uuid) ?? []);
  }

  episodeOf(hash: string): StoredEpisode | null {
    const found = this.#hashes.get(hash).flatMap((path) => {
      const stored = this.#context.at(path);
      return stored?.kind === 'episode' ? [stored] : [];
    });
    return found.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1))[0] ?? null;
  }

  fact(uuid: string): FoundFact | null {
    for (const path of this.#facts.get(uuid)) {
      const source = this.#context.at(path);
      if (source?.kind !== 'entity' || this.entity(source.uuid) !== source) continue;
      const fact = source.fact(uuid);
      if (fact !== null) return { fact, source };
    }
    const found = this.statement(uuid);
    return found === null ? null : { fact: toFact(found.statement, found.episode), source: this.#speakerOf(found) };
  }

  statement(uuid: string): FoundStatement | null {
    return this.#statements.get(uuid, (episode) => this.episode(episode.uuid)?.path === episode.path);
  }

  neighbors(key: string): readonly Neighbors[] {
    const found = this.statement(uuidOf(key));
    return found === null ? [] : this.#statements.neighbors(key, found);
  }

  get size(): number {
    return this.#facts.size + this.#statements.size;
  }

  isSingle(relation: string): boolean {
    return this.#single.get(normalizeRelation(relation)).length > 0;
  }

  /** Returns the texts under which a fact is found: its own, or each sentence of a statement; none if it is gone. */
  #textsOf(uuid: string): readonly IndexedText[] {
    const found = this.fact(uuid);
    if (found === null) return [];
    const said = this.statement(uuid);
    if (said !== null)
      return this.#statements.sentences(said).map(({ key, text, by }) => ({
        key,
        text: { fact: text, relation: '', ends: by, about: '' },
        embedded: by === '' ? text : `${by}: ${text}`,
      }));
    const { fact, source } = found;
    const target = this.#context.target(fact, source.path);
    const ends = `${source.name}\n${target?.name ?? fact.shown ?? fact.linkpath}`;
    const about = [source.path, target?.path ?? ''].map((path) => describeEntity(this.#context.at(path))).join('\n');
    return [{ key: uuid, text: { fact: fact.fact, relation: fact.name, ends, about }, embedded: fact.fact }];
  }

  /** Returns the entity of a speaker; the episode under the speaker's or its own name if there is none. */
  #speakerOf({ statement: { speaker }, episode }: FoundStatement): FactSource {
    const entity = speaker === null ? null : this.named(normalizeName(speaker));
    if (entity !== null) return entity;
    const { uuid, path, groupId, name } = episode;
    return { uuid, path, groupId, name: speaker ?? name ?? baseName(path) };
  }

  #served(uuid: string, paths: readonly string[]): Stored | null {
    const path = paths.length > 1 ? this.#context.original(uuid, paths) : paths[0];
    return path === undefined ? null : (this.#context.at(path) ?? null);
  }
}

function factsOf(stored: Stored): readonly string[] {
  return stored.kind === 'entity' ? stored.factUuids : stored.statementUuids;
}

/** Returns summary and attributes of an entity, for search. */
export function describeEntity(stored: Stored | undefined): string {
  if (stored?.kind !== 'entity') return '';
  const attributes = Object.entries(stored.attributes ?? {}).map(
    ([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [stored.summary ?? '', ...attributes].join('\n');
}
