import { setTimeout } from 'node:timers/promises';
import type { ScoredKey } from '../../../graph/semantic/embeddings.ts';
import type { OperationContext } from '../../operation.ts';
import type { KnowledgeGroup } from '../stored/knowledge-group.ts';

/** A group is ranked by meaning once this share of its texts has vectors; before that, embedded texts would come first for that alone. */
const MIN_EMBEDDED = 0.95;
/** A search waits for so many texts that are not embedded yet, such as those of a conversation that was just stored, and so long. */
const MAX_AWAITED = 200;
const PATIENCE_MS = 1_500;

/** Ranks the texts of facts by embeddings, best first; empty without an embedder (S3-31, S3-44), and while many texts wait to be embedded (K-11). */
export async function nearestTexts(
  context: OperationContext,
  groups: readonly KnowledgeGroup[],
  query: string,
  { limit, accept }: { readonly limit: number; readonly accept: (key: string) => boolean },
): Promise<readonly ScoredKey[]> {
  const { vault, signal } = context;
  const { state } = vault.search.embeddings.status();
  if (groups.length === 0 || state === 'off') return [];
  // While no vectors are loaded, no text has one; a small group is worth waiting for.
  if (state === 'loading' && groups.some(({ size }) => size > MAX_AWAITED)) return [];
  if (!(await isEmbedded(context, groups))) return [];
  const vector = await vault.search.embeddings.embedQuery(query, signal);
  if (vector === null) return [];
  const of = (key: string): { readonly group: string; readonly uuid: string } => {
    const at = key.indexOf('/');
    return { group: key.slice(0, at), uuid: key.slice(at + 1) };
  };
  const wanted = new Set(groups.map(({ id }) => id));
  const nearest = vault.search.embeddings.collection('facts').findNearest(vector, {
    limit,
    accept: (key) => wanted.has(of(key).group) && accept(of(key).uuid),
  });
  return nearest.map(({ key, score }) => ({ key: of(key).uuid, score }));
}

/** Returns whether enough of the groups is embedded; waits a moment if little is missing, and warns if it is not. */
async function isEmbedded(context: OperationContext, groups: readonly KnowledgeGroup[]): Promise<boolean> {
  const { vault, signal } = context;
  const count = (): { readonly all: number; readonly waiting: number } => {
    const counts = groups.map((group) => group.texts.embedding());
    return { all: counts.reduce((sum, { all }) => sum + all, 0), waiting: counts.reduce((sum, { waiting }) => sum + waiting, 0) };
  };
  const isEnough = ({ all, waiting }: ReturnType<typeof count>): boolean => waiting <= (1 - MIN_EMBEDDED) * all;
  const before = count();
  if (before.all === 0) return false;
  if (isEnough(before)) return true;
  if (before.waiting <= MAX_AWAITED) {
    // One listener instead of one for each text.
    const patience = setTimeout(PATIENCE_MS, undefined, { ref: false, ...(signal === undefined ? {} : { signal }) }).catch(() => undefined);
    const outcomes = await Promise.race([patience, Promise.all(groups.map((group) => group.texts.whenEmbedded()))]);
    signal?.throwIfAborted();
    if (outcomes?.includes(false) === true) return false;
  }
  const now = count();
  if (isEnough(now)) return true;
  if (vault.search.embeddings.status().state === 'ready')
    context.warn(`By words: of ${now.all} facts and sentences ${now.all - now.waiting} are embedded so far.`);
  return false;
}
