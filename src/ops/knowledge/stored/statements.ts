import { createHash } from 'node:crypto';
import { statementsOf } from '../../../extraction/statements.ts';
import { isPropertyMap } from '../../../note/frontmatter/property-value.ts';
import { readConfirmations, readDay, STALE_AFTER, VERIFIED } from '../../../note/freshness.ts';
import type { EpisodeContent, StoredEpisode, StoredFact, StoredStatement } from './shapes.ts';

/** The relation of a sentence to the episode in which it was said. */
export const SAID = 'SAID';

/** The property of an episode's note that lists the keys of its deleted statements. */
export const DELETED_STATEMENTS = 'deleted_statements';

/** The property of an episode's note that holds who confirmed its statements, by their keys. */
export const STATEMENT_INFO = 'statement_info';

/** Characters of the hash that tells the sentences of one episode apart. */
const KEY_CHARACTERS = 12;

/**
 * Derives what was said in an episode that no extraction covers. They are facts of the episode without being written a second time. Deleted
 * ones are left out; equal ones are told apart by their order.
 */
export function readStatements(
  { uuid, source, name, deleted }: Pick<StoredEpisode, 'uuid' | 'source' | 'name' | 'deleted'>,
  { body, extraction }: EpisodeContent,
): readonly StoredStatement[] {
  if (extraction !== undefined) return [];
  const isDeleted = new Set(deleted);
  const counts = new Map<string, number>();
  return statementsOf({ source, body, name }).flatMap(({ text, sentences, speaker, role }) => {
    const hash = createHash('sha256')
      .update(`${speaker ?? ''}\n${text}`)
      .digest('hex')
      .slice(0, KEY_CHARACTERS);
    const count = (counts.get(hash) ?? 0) + 1;
    counts.set(hash, count);
    const key = count === 1 ? hash : `${hash}-${count}`;
    return isDeleted.has(key) ? [] : [{ uuid: `${uuid}.${key}`, text, sentences, speaker, role }];
  });
}

const NEVER_CONFIRMED = { verified: [], staleAfter: null } as const;

/** Returns the key under which the note of its episode lists a statement as deleted. */
export function deletionKey({ uuid }: Pick<StoredStatement, 'uuid'>): string {
  return uuid.slice(uuid.lastIndexOf('.') + 1);
}

/** Returns the key under which the note of its episode holds who confirmed a statement. The letters keep YAML from reading a number. */
export function confirmationKey(statement: Pick<StoredStatement, 'uuid'>): string {
  return `s-${deletionKey(statement)}`;
}

/** Returns a statement as a fact: it holds from the time at which it was said, and nothing ends it. */
export function toFact({ uuid, text }: StoredStatement, { path, referenceTime, createdAt, statementInfo }: StoredEpisode): StoredFact {
  const episode = path.replace(/\.md$/, '');
  const info = statementInfo?.[confirmationKey({ uuid })];
  return {
    id: uuid,
    uuid,
    name: SAID,
    fact: text,
    linkpath: episode,
    shown: null,
    validAt: referenceTime,
    invalidAt: null,
    createdAt,
    expiredAt: null,
    saidAt: referenceTime,
    heldAt: [],
    withdrawnAt: null,
    withdrawnBy: null,
    correctedBy: null,
    cuts: [],
    earlierStarts: [],
    isNegated: false,
    isSingle: false,
    qualifiers: null,
    ...(isPropertyMap(info) ? { verified: readConfirmations(info[VERIFIED]), staleAfter: readDay(info[STALE_AFTER]) } : NEVER_CONFIRMED),
    episodes: [episode],
    others: [],
    line: null,
  };
}
