import { baseName, foldKey } from '../../note/path.ts';
import type { Vault } from '../../vault/vault.ts';
import { knowledgeOf } from './stored/knowledge-index.ts';
import type { KnowledgeIndex } from './stored/knowledge-index.ts';
import type { StoredEntity, StoredEpisode, StoredFact } from './stored/shapes.ts';

/** What was read in episodes, and what it did to facts that were known before. */
export interface ReadCounts {
  /** Facts that they state. */
  readonly facts: number;
  /** Facts that another value, or a better wording, replaced. */
  readonly superseded: number;
  /** Facts that they say do not hold, or no longer. */
  readonly contradicted: number;
  /** Sentences and short messages that are found as they were said. */
  readonly statements: number;
}

/** What came of episodes so far (K-02). */
export interface IngestionReport {
  /** Absent as long as none of them is completed. */
  readonly read?: ReadCounts;
  /** Number of items that are not read yet; absent if there are none, as is `parked`. */
  readonly waiting?: number;
  /** Number of items that could not be read. */
  readonly parked?: number;
  /** What to do next, where there is something to do. */
  readonly hint?: string;
}

const NOTHING_READ =
  'No facts were read, but what was said can be found word for word. To store facts too, pass them as extraction, write lines like "Nora -[LIVES_IN]-> Lyon: Nora lives in Lyon.", or have the user configure an endpoint that reads them (ROUX_EXTRACT_URL).';

/** Returns what came of the episodes at these paths. */
export function reportIngestion(vault: Vault, paths: readonly string[]): IngestionReport {
  const index = knowledgeOf(vault);
  index.refresh();
  const episodes = paths.flatMap((path) => {
    const stored = index.at(path);
    return stored?.kind === 'episode' && stored.ingest !== null ? [stored] : [];
  });
  const completed = episodes.filter(({ ingest }) => ingest?.state === 'completed');
  const parked = episodes.filter(({ ingest }) => ingest?.state === 'parked').length;
  const waiting = episodes.length - completed.length - parked;
  const read = completed.length === 0 ? null : countRead(vault, index, completed);
  const hints = [
    ...(waiting === 0 ? [] : [`${waiting} of ${episodes.length} items are not read yet; kg_get_receipt says what came of them.`]),
    ...(parked === 0 ? [] : [`${parked} of ${episodes.length} items could not be read; kg_get_receipt says why.`]),
    ...(read?.facts === 0 ? [NOTHING_READ] : []),
  ];
  return {
    ...(read === null ? {} : { read }),
    ...(waiting === 0 ? {} : { waiting }),
    ...(parked === 0 ? {} : { parked }),
    ...(hints.length === 0 ? {} : { hint: hints.join(' ') }),
  };
}

function countRead({ graph }: Vault, index: KnowledgeIndex, episodes: readonly StoredEpisode[]): ReadCounts {
  const paths = new Set(episodes.map(({ path }): string => path));
  // The note of a fact links to its episodes, so no other note has to be looked at.
  const entities = new Set<StoredEntity>();
  for (const path of paths)
    for (const { from } of graph.backlinks(path)) {
      const stored = index.at(from);
      if (stored?.kind === 'entity' && index.isServed(stored)) entities.add(stored);
    }
  const names = new Set([...paths].map((path) => foldKey(baseName(path))));
  const statements = episodes.reduce((sum, episode) => sum + episode.statements.length, 0);
  const counts = { facts: 0, superseded: 0, contradicted: 0, statements };
  for (const { facts, path } of entities) {
    const isStated = ({ episodes: links }: StoredFact): boolean =>
      links.some((linkpath) => names.has(foldKey(baseName(linkpath))) && paths.has(index.targetOf({ linkpath }, path)?.path ?? ''));
    const stated = new Map(facts.filter(isStated).map((fact) => [fact.uuid, fact]));
    counts.facts += stated.size;
    for (const fact of facts) {
      const by = causesOf(fact).find((uuid) => stated.has(uuid));
      if (by === undefined) continue;
      if (stated.get(by)?.isNegated === fact.isNegated) counts.superseded += 1;
      else counts.contradicted += 1;
    }
  }
  return counts;
}

/** Returns the uuids of the facts that ended or withdrew a fact. */
function causesOf({ withdrawnBy, cuts }: StoredFact): readonly string[] {
  return [withdrawnBy, ...cuts.map(({ by }) => by)].filter((by) => by !== null);
}
