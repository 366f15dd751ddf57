import { compareText } from '../../../note/text.ts';
import { isoNow } from '../../../ports.ts';
import type { Vault } from '../../../vault/vault.ts';
import { newestNotes } from '../../lists/newest-notes.ts';
import type { PrimeList } from '../../operation.ts';
import { shorten } from '../../shorten.ts';
import { readFacts } from '../stored/entity-note.ts';

/** Notes that are read: those of the newest facts are among them. */
const MAX_NOTES = 20;
const MAX_FACTS = 8;
const MAX_FACT_CHARACTERS = 200;

/** Lists the facts that were learnt last and hold now. Reads the notes alone that changed last. */
export function primeFacts({ graph, notes, ports, settings }: Vault): readonly PrimeList[] {
  const now = isoNow(ports.clock);
  const newest = newestNotes(graph, MAX_NOTES, { under: settings.config.knowledge.root }).flatMap(({ path, title }) => {
    const onDisk = notes.readUnstable(path);
    if (onDisk === null) return [];
    const modified = new Date(onDisk.modifiedMs).toISOString();
    return readFacts(onDisk.note.text, { entity: path, name: title, modified }).facts;
  });
  const facts = newest
    .filter(({ expiredAt, validAt, invalidAt }) => expiredAt === null && (validAt ?? '') <= now && (invalidAt === null || invalidAt > now))
    .toSorted((a, b) => compareText(b.createdAt, a.createdAt));
  const lines = facts.slice(0, MAX_FACTS).map(({ fact, createdAt }) => `${shorten(fact, MAX_FACT_CHARACTERS)} (${createdAt.slice(0, 10)})`);
  return [{ name: 'facts', lines, more: null }];
}
