import type { AgentTools } from './agents.ts';
import type { OwnNote } from './ledger.ts';
import type { Outcome } from './servers.ts';

/** Notes that one agent alone makes, changes, renames and deletes: it knows at every moment what they hold. */
export function ownNoteWork({ server, ledger, random, sharedNotes, peopleNotes }: AgentTools): () => Promise<void> {
  const mine: OwnNote[] = [];

  const note = (outcome: Outcome, what: string): void => {
    ledger.count(outcome.kind === 'refused' ? `${what} ${outcome.code}` : outcome.kind === 'unknown' ? `${what} unknown` : what);
  };
  const keep = (before: OwnNote | null, after: OwnNote | null): void => {
    if (before !== null) {
      ledger.own.delete(before);
      mine.splice(mine.indexOf(before), 1);
    }
    if (after !== null) {
      ledger.own.add(after);
      mine.push(after);
    }
  };
  const text = (mark: string): string => {
    const targets = [...sharedNotes, ...peopleNotes, ...mine.map(({ titles }) => titles[0] ?? '')];
    return `About ${mark}.\n\nSee [[${random.pick(targets)}]] and [[${random.pick(targets)}|that]].\n`;
  };
  const create = async (): Promise<void> => {
    const title = `Own ${ledger.mark('own')}`;
    const made: OwnNote = { titles: [title], content: text(title), tags: ['soak'], properties: {} };
    const directory = random.pick(['own', 'own/deep', 'own/ünter']);
    const outcome = await server.call('create_node', { title, content: made.content, tags: made.tags, directory, type: 'thing' });
    note(outcome, 'create_node');
    if (outcome.kind === 'answered' || (outcome.kind === 'unknown' && (await look([made], title)) !== null)) keep(null, made);
  };

  /** Which of these states a note is in, after a call that nobody answered; null: it is not there. */
  const look = async (states: readonly OwnNote[], title: string): Promise<OwnNote | null> => {
    for (;;) {
      const outcome = await server.call('get_node', { id: title });
      if (outcome.kind === 'unknown') continue;
      if (outcome.kind === 'refused') throw new Error(`get_node ${title}: ${outcome.message}`);
      // What is linked to and not there is answered too, without a path.
      if (outcome.value === null || outcome.value.path === null) return null;
      const found = states.find((state) => isLike(state, outcome.value));
      if (found === undefined) ledger.faults.push(`${title} is in no state that it could be in: ${JSON.stringify(outcome.value)}`);
      return found ?? states[0] ?? null;
    }
  };

  const change = async (before: OwnNote): Promise<void> => {
    const title = before.titles[0] ?? '';
    const mark = ledger.mark('own');
    const key = `key${random.below(4)}`;
    const [args, after] = random.pick<readonly [Record<string, unknown>, Partial<OwnNote>]>([
      [{ content: text(mark) }, {}],
      [{ tags: ['soak', mark] }, { tags: ['soak', mark] }],
      [{ properties: { [key]: mark } }, { properties: { ...before.properties, [key]: mark } }],
      [{ title: `Own ${mark}` }, { titles: [`Own ${mark}`, ...before.titles] }],
      [
        { title: `Own ${mark}`, tags: [mark], properties: { [key]: mark } },
        { titles: [`Own ${mark}`, ...before.titles], tags: [mark], properties: { ...before.properties, [key]: mark } },
      ],
    ]);
    const next: OwnNote = { ...before, ...after, ...('content' in args ? { content: String(args['content']) } : {}) };
    const outcome = await server.call('update_node', { id: title, ...args, include_content: true });
    note(outcome, 'title' in args ? 'rename' : 'update_node');
    if (outcome.kind === 'refused') return;
    if (outcome.kind === 'answered') {
      if (!isLike(next, outcome.value)) ledger.faults.push(`${title} was not answered as it was written: ${JSON.stringify(outcome.value)}`);
      return keep(before, next);
    }
    const state = await look([before, next], title);
    if (state === null) ledger.faults.push(`${title} is gone after a call that nobody answered`);
    keep(before, state);
  };

  const remove = async (before: OwnNote): Promise<void> => {
    const title = before.titles[0] ?? '';
    for (const each of before.titles) ledger.deletedTitles.add(each);
    const outcome = await server.call('delete_node', { id: title });
    note(outcome, 'delete_node');
    if (outcome.kind === 'answered' && outcome.value.deleted !== true) ledger.faults.push(`${title} was not there to be deleted`);
    if (outcome.kind === 'answered' || (outcome.kind === 'unknown' && (await look([before], title)) === null)) keep(before, null);
  };

  return async () => {
    if (mine.length < 4) return create();
    const before = random.pick(mine);
    if (mine.length > 12 || random.chance(0.08)) return remove(before);
    return random.chance(0.2) ? create() : change(before);
  };
}

/** Whether a note as it is answered or read holds what its owner knows; links may have followed renames. */
export function isLike(
  known: OwnNote,
  found: { title: string; content: string; tags: readonly string[]; properties: Readonly<Record<string, unknown>> },
): boolean {
  return (
    found.title === known.titles[0] &&
    withoutLinks(found.content) === withoutLinks(known.content) &&
    JSON.stringify(found.tags) === JSON.stringify(known.tags) &&
    Object.entries(known.properties).every(([key, value]) => found.properties[key] === value)
  );
}

function withoutLinks(text: string): string {
  return text.replaceAll(/\[\[[^\]|]*/g, '[[');
}
