import type { VectorCollection } from '../../../graph/semantic/embeddings.ts';
import { openFactWords } from './fact-words.ts';
import type { FactWords } from './fact-words.ts';
import { Holders } from './holders.ts';
import type { Stored, StoredEntity, StoredEpisode, StoredFact } from './shapes.ts';

/** A fact and the entity whose note it stands in. */
export interface FoundFact {
  readonly fact: StoredFact;
  readonly source: StoredEntity;
}

/** One group: nothing of it is seen from another one (S3-04). */
export interface KnowledgeGroup {
  readonly id: string;
  entity(uuid: string): StoredEntity | null;
  /** The entity of this normalised name; of several the oldest (S3-29). */
  named(key: string): StoredEntity | null;
  entities(): readonly StoredEntity[];
  episode(uuid: string): StoredEpisode | null;
  episodes(): readonly StoredEpisode[];
  /** The episode that was accepted with this hash last; null where there is none. */
  episodeOf(hash: string): StoredEpisode | null;
  fact(uuid: string): FoundFact | null;
  /** The words of all facts, made when they are first asked for. */
  words(): FactWords;
}

/** What a group needs of the index around it. */
export interface GroupContext {
  at(path: string): Stored | undefined;
  /** Of files with one uuid, the one that is no copy. */
  original(uuid: string, paths: readonly string[]): string;
  /** What a fact leads to; null: nothing that is there. */
  target(fact: StoredFact, from: string): { readonly name: string; readonly path: string } | null;
  /** What all facts mean, by `<group>/<uuid>`. */
  readonly meanings: Pick<VectorCollection, 'set' | 'delete'>;
}

/** A group as the index keeps it in step with the notes. */
export class Group implements KnowledgeGroup {
  readonly id: string;
  readonly #context: GroupContext;
  readonly #entities = new Holders();
  readonly #names = new Holders();
  readonly #episodes = new Holders();
  readonly #hashes = new Holders();
  /** Paths of the notes that hold a fact of this uuid. */
  readonly #facts = new Holders();
  readonly #byUuid = new Map<string, Map<string, StoredFact>>();
  #words: FactWords | null = null;
  /** Entities that were dropped, by path, and facts that words and meanings do not follow yet. */
  readonly #leaving = new Map<string, StoredEntity>();
  readonly #changed = new Set<string>();

  constructor(id: string, context: GroupContext) {
    this.id = id;
    this.#context = context;
  }

  put(stored: Stored): void {
    if (stored.kind === 'episode') {
      this.#episodes.put(stored.uuid, stored.path);
      if (stored.ingest !== null) this.#hashes.put(stored.ingest.hash, stored.path);
      return;
    }
    this.#entities.put(stored.uuid, stored.path);
    this.#names.put(stored.key, stored.path);
    this.#byUuid.set(stored.path, new Map(stored.facts.map((fact) => [fact.uuid, fact])));
    for (const fact of stored.facts) this.#facts.put(fact.uuid, stored.path);
    this.#follow(stored);
  }

  drop(stored: Stored): void {
    if (stored.kind === 'episode') {
      this.#episodes.drop(stored.uuid, stored.path);
      if (stored.ingest !== null) this.#hashes.drop(stored.ingest.hash, stored.path);
      return;
    }
    this.#entities.drop(stored.uuid, stored.path);
    this.#names.drop(stored.key, stored.path);
    this.#byUuid.delete(stored.path);
    for (const fact of stored.facts) this.#facts.drop(fact.uuid, stored.path);
    // A note that changed is dropped and put again: what is the same in it is not indexed anew.
    this.#leaving.set(stored.path, stored);
  }

  /** Indexes the facts of an entity that were not there before as they are now. */
  #follow(stored: StoredEntity): void {
    const before = this.#leaving.get(stored.path);
    const known = new Map(before?.name === stored.name ? before.facts.map((fact) => [fact.uuid, fact.line]) : []);
    for (const fact of stored.facts) if (known.get(fact.uuid) !== fact.line) this.#changed.add(fact.uuid);
    for (const fact of before?.facts ?? []) if (this.#facts.of(fact.uuid).length === 0) this.#changed.add(fact.uuid);
    this.#leaving.delete(stored.path);
  }

  /** Indexes the facts of an entity anew that lead to a note with another name than before. */
  rename(source: StoredEntity, path: string): void {
    for (const fact of source.facts) if (this.#context.target(fact, source.path)?.path === path) this.#changed.add(fact.uuid);
  }

  /** Brings words and meanings up to date with the facts. */
  settle(): void {
    for (const { facts } of this.#leaving.values()) for (const { uuid } of facts) this.#changed.add(uuid);
    this.#leaving.clear();
    for (const uuid of this.#changed) {
      const found = this.fact(uuid);
      const key = `${this.id}/${uuid}`;
      if (found === null) {
        this.#words?.delete(uuid);
        this.#context.meanings.delete(key);
      } else {
        if (this.#words !== null) this.#index(this.#words, found.source, found.fact);
        this.#context.meanings.set(key, found.fact.fact);
      }
    }
    this.#changed.clear();
  }

  entity(uuid: string): StoredEntity | null {
    const stored = this.#served(uuid, this.#entities.of(uuid));
    return stored?.kind === 'entity' ? stored : null;
  }

  named(key: string): StoredEntity | null {
    const found = this.#names
      .of(key)
      .flatMap((path) => this.#context.at(path) ?? [])
      .filter((stored) => stored.kind === 'entity')
      .filter((stored) => this.entity(stored.uuid) === stored);
    return found.sort((a, b) => (`${a.createdAt} ${a.uuid}` < `${b.createdAt} ${b.uuid}` ? -1 : 1))[0] ?? null;
  }

  entities(): readonly StoredEntity[] {
    return this.#entities.keys().flatMap((uuid) => this.entity(uuid) ?? []);
  }

  episode(uuid: string): StoredEpisode | null {
    const stored = this.#served(uuid, this.#episodes.of(uuid));
    return stored?.kind === 'episode' ? stored : null;
  }

  episodes(): readonly StoredEpisode[] {
    return this.#episodes.keys().flatMap((uuid) => this.episode(uuid) ?? []);
  }

  episodeOf(hash: string): StoredEpisode | null {
    const found = this.#hashes.of(hash).flatMap((path) => {
      const stored = this.#context.at(path);
      return stored?.kind === 'episode' ? [stored] : [];
    });
    return found.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1))[0] ?? null;
  }

  fact(uuid: string): FoundFact | null {
    for (const path of this.#facts.of(uuid)) {
      const source = this.#context.at(path);
      const fact = this.#byUuid.get(path)?.get(uuid);
      if (source?.kind === 'entity' && fact !== undefined && this.entity(source.uuid) === source) return { fact, source };
    }
    return null;
  }

  words(): FactWords {
    if (this.#words === null) {
      this.#words = openFactWords();
      for (const source of this.entities()) for (const fact of source.facts) this.#index(this.#words, source, fact);
    }
    return this.#words;
  }

  #index(words: FactWords, source: StoredEntity, fact: StoredFact): void {
    const ends = `${source.name}\n${this.#context.target(fact, source.path)?.name ?? fact.shown ?? fact.linkpath}`;
    words.put(fact.uuid, { fact: fact.fact, relation: fact.name, ends });
  }

  #served(uuid: string, paths: readonly string[]): Stored | null {
    const path = paths.length > 1 ? this.#context.original(uuid, paths) : paths[0];
    return path === undefined ? null : (this.#context.at(path) ?? null);
  }
}
