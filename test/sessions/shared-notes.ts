import type { AgentTools } from './agents.ts';
import type { Outcome } from './servers.ts';

/** Notes that all agents write at once, some of them with a person who saves them meanwhile. */
export function sharedNoteWork({ server, ledger, random, sharedNotes, peopleNotes }: AgentTools): () => Promise<void> {
  const keep = (outcome: Outcome, what: string, { note, mark }: { note: string; mark: string }): void => {
    ledger.count(outcome.kind === 'refused' ? `${what} ${outcome.code}` : outcome.kind === 'unknown' ? `${what} unknown` : what);
    if (outcome.kind !== 'answered') return;
    ledger.saved.push({ mark, note, sentAt: outcome.sentAt, answeredAt: outcome.answeredAt });
    const revs = ledger.revs.get(note) ?? [];
    revs.push(Number(outcome.value.rev));
    ledger.revs.set(note, revs);
  };

  const property = async (note: string): Promise<void> => {
    const mark = ledger.mark('property');
    keep(await server.call('update_node', { id: note, properties: { [mark]: mark } }), 'shared property', { note, mark });
  };

  /** As an agent does it: reads, adds a line, writes what it read with that line, provided that nobody wrote meanwhile. */
  const line = async (note: string): Promise<void> => {
    const mark = ledger.mark('line');
    const parts: string[] = [];
    let etag = '';
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const read = await server.call('get_node', { id: note, offset });
      if (read.kind !== 'answered' || read.value === null) return ledger.count(`shared read ${read.kind}`);
      if (parts.length > 0 && etag !== read.value.etag) return ledger.count('shared read changed');
      etag = String(read.value.etag);
      parts.push(String(read.value.content).slice(0, (read.value.next_offset ?? Infinity) - offset));
      offset = read.value.next_offset;
    }
    const content = `${parts.join('')}\n${mark}\n`;
    keep(await server.call('update_node', { id: note, content, if_match: etag }), 'shared line', { note, mark });
  };

  /** The note keeps its first title as an alias, so everybody still finds it. */
  const rename = async (note: string): Promise<void> => {
    const outcome = await server.call('update_node', { id: note, title: `${note} ${ledger.mark('title')}` });
    ledger.count(outcome.kind === 'refused' ? `shared rename ${outcome.code}` : `shared rename ${outcome.kind}`);
    if (outcome.kind === 'answered') ledger.revs.set(note, [...(ledger.revs.get(note) ?? []), Number(outcome.value.rev)]);
  };

  return async () => {
    if (random.chance(0.35)) return random.pick([property, line])(random.pick(peopleNotes));
    return random.pick([property, property, line, line, rename])(random.pick(sharedNotes));
  };
}
