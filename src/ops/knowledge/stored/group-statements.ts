import type { Neighbors } from './text-index/context-scores.ts';
import { Conversation } from './conversation.ts';
import type { StoredEpisode, StoredStatement } from './shapes.ts';

/** What was said, and the episode in which it was. */
export interface FoundStatement {
  readonly statement: StoredStatement;
  readonly episode: StoredEpisode;
}

/** A sentence as it is indexed. */
export interface IndexedSentence {
  readonly key: string;
  readonly text: string;
  /** Who said it, or the name of its text; empty if neither is known. */
  readonly by: string;
}

/** Shares of the sentences next to a sentence, and of the messages before and after its message, nearest first. */
const SENTENCE_SHARE = 0.6;
const MESSAGE_SHARES = { before: [0.6, 0.3], after: [0.4, 0.2] } as const;
/** Sentences of a neighboring message that count: the nearest ones. */
const MAX_NEIGHBORING_SENTENCES = 10;

/** Separates the uuid of a statement from the number of a sentence in it. */
const SEPARATOR = '\n';

/** Returns the uuid of the fact or statement to which an indexed key belongs. */
export function uuidOf(key: string): string {
  const at = key.indexOf(SEPARATOR);
  return at < 0 ? key : key.slice(0, at);
}

/** The sentences of an episode in order, and the place of each. */
interface Sentences {
  readonly all: readonly { readonly key: string; readonly text: string; readonly statement: StoredStatement }[];
  readonly places: ReadonlyMap<string, number>;
}

/** What was said in the episodes of one group. */
export class GroupStatements {
  readonly #byUuid = new Map<string, StoredEpisode[]>();
  readonly #sentences = new WeakMap<StoredEpisode, Sentences>();
  readonly #conversation = new Conversation();

  put(episode: StoredEpisode): void {
    for (const uuid of episode.statementUuids) {
      const known = this.#byUuid.get(uuid);
      if (known === undefined) this.#byUuid.set(uuid, [episode]);
      else known.push(episode);
    }
    if (episode.source === 'message' && episode.statementUuids.length > 0) this.#conversation.put(episode);
  }

  drop(episode: StoredEpisode): void {
    for (const uuid of episode.statementUuids) {
      const left = this.#byUuid.get(uuid)?.filter(({ path }) => path !== episode.path) ?? [];
      if (left.length > 0) this.#byUuid.set(uuid, left);
      else this.#byUuid.delete(uuid);
    }
    if (episode.source === 'message' && episode.statementUuids.length > 0) this.#conversation.drop(episode);
  }

  get size(): number {
    return this.#byUuid.size;
  }

  uuids(): Iterable<string> {
    return this.#byUuid.keys();
  }

  /** Finds a statement in an episode that `isServed`; its note may have copies. */
  get(uuid: string, isServed: (episode: StoredEpisode) => boolean): FoundStatement | null {
    for (const episode of this.#byUuid.get(uuid) ?? []) {
      const { all, places } = this.#sentencesOf(episode);
      const found = all[places.get(uuid) ?? -1];
      if (found !== undefined && isServed(episode)) return { statement: found.statement, episode };
    }
    return null;
  }

  sentences({ statement, episode }: FoundStatement): readonly IndexedSentence[] {
    const by = statement.speaker ?? episode.name ?? '';
    return statement.sentences.map((text, at) => ({ key: keyOf(statement.uuid, at), text, by }));
  }

  /** Returns the sentences before and after one, each with the share of its score that counts for it. */
  neighbors(key: string, { episode }: FoundStatement): readonly Neighbors[] {
    const { all, places } = this.#sentencesOf(episode);
    const at = places.get(key) ?? -1;
    const inside = [all[at - 1], all[at + 1]].flatMap((each): Neighbors[] =>
      each === undefined ? [] : [{ keys: [each.key], share: SENTENCE_SHARE }],
    );
    if (episode.source !== 'message') return inside;
    const beside = (step: -1 | 1, shares: readonly number[]): readonly Neighbors[] =>
      this.#conversation.beside(episode, step, shares.length).map((other, distance) => {
        const said = this.#sentencesOf(other).all;
        const nearest = step < 0 ? said.slice(-MAX_NEIGHBORING_SENTENCES) : said.slice(0, MAX_NEIGHBORING_SENTENCES);
        return { keys: nearest.map((each) => each.key), share: shares[distance] ?? 0 };
      });
    return [...inside, ...beside(-1, MESSAGE_SHARES.before), ...beside(1, MESSAGE_SHARES.after)];
  }

  #sentencesOf(episode: StoredEpisode): Sentences {
    const known = this.#sentences.get(episode);
    if (known !== undefined) return known;
    const all = episode.statements.flatMap((statement) =>
      statement.sentences.map((text, at) => ({ key: keyOf(statement.uuid, at), text, statement })),
    );
    const sentences = { all, places: new Map(all.map(({ key }, at) => [key, at])) };
    this.#sentences.set(episode, sentences);
    return sentences;
  }
}

/** The first sentence of a statement has the statement's key. */
export function keyOf(uuid: string, at: number): string {
  return at === 0 ? uuid : `${uuid}${SEPARATOR}${at}`;
}
