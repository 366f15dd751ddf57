import type { Note } from '../../../note/note.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { ToolsetChecks, ToolsetFinding } from '../../operation.ts';
import { shorten } from '../../shorten.ts';
import { isForeign } from '../ingest/mark.ts';
import { bodyOf, readEpisodeContent } from '../stored/episode-note.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';
import type { Stored, StoredEntity } from '../stored/shapes.ts';
import { isEdited } from '../stored/stored-body.ts';

/** So many findings of one kind are told one by one, of one note or of all. */
const MAX_REPORTED = 20;
const MAX_TEXT_CHARACTERS = 120;

/** What is wrong in the notes of the knowledge graph. */
export function knowledgeChecks(vault: Vault): ToolsetChecks {
  const index = knowledgeOf(vault);
  index.refresh();
  return {
    all: () => [...findDoubles(vault, index), ...findLost(index), ...findStuck(vault, index)],
    note: (note) => checkNote(index, note),
  };
}

/** Notes of one group that have one uuid, and ids of their own: one of them alone is served. */
function findDoubles({ graph }: Vault, index: KnowledgeIndex): readonly ToolsetFinding[] {
  const byUuid = new Map<string, Stored[]>();
  for (const stored of index.all()) {
    const key = `${stored.kind} ${stored.groupId} ${stored.uuid}`;
    byUuid.set(key, [...(byUuid.get(key) ?? []), stored]);
  }
  // An id that several notes have is told of all notes.
  const isTold = (stored: Stored): boolean => graph.get(stored.path)?.id === stored.uuid;
  return [...byUuid.values()]
    .filter((alike) => alike.length > 1 && !alike.every(isTold))
    .map((alike): ToolsetFinding => {
      const served = alike.find((stored) => index.isServed(stored)) ?? alike[0]!;
      const paths = [served, ...alike.filter((each) => each !== served)].map(({ path }) => path);
      const message = `${paths.join(' and ')} have the same uuid ${served.uuid} in the group ${served.groupId}; ${served.path} is served. Give the others another uuid, or delete them`;
      return { kind: 'duplicate-id', paths, message };
    });
}

/** Facts whose link leads to no note. */
function findLost(index: KnowledgeIndex): readonly ToolsetFinding[] {
  return index.all().flatMap((stored): readonly ToolsetFinding[] => {
    if (stored.kind !== 'entity') return [];
    const lost = stored.facts.filter((fact) => index.targetOf(fact, stored.path) === null);
    return tellSome(
      lost.map(({ fact, linkpath }): ToolsetFinding => ({
        kind: 'fact',
        paths: [stored.path],
        message: `${stored.path}: the fact ${quoted(fact)} leads nowhere; make the note [[${shorten(linkpath, MAX_TEXT_CHARACTERS)}]], or correct the line`,
      })),
      (count) => ({ kind: 'fact', paths: [stored.path], message: `${stored.path} has ${count} more facts that lead nowhere` }),
    );
  });
}

/** Items that nothing is done with until somebody says so. */
function findStuck({ ports }: Vault, index: KnowledgeIndex): readonly ToolsetFinding[] {
  const episodes = index.all().filter((stored) => stored.kind === 'episode');
  const parked = episodes.flatMap(({ path, ingest }): ToolsetFinding[] => {
    if (ingest?.state !== 'parked') return [];
    const { code, message } = ingest.error ?? { code: 'unknown', message: 'no reason is given' };
    const why = shorten(`${code}: ${message}`, 2 * MAX_TEXT_CHARACTERS);
    return [{ kind: 'episode', paths: [path], message: `${path} is parked (${why}); mend that, then kg_retry_parked tries it again` }];
  });
  const foreign = episodes
    .filter((episode) => isForeign(ports, episode))
    .map(({ path }): ToolsetFinding => ({
      kind: 'episode',
      paths: [path],
      message: `${path} waits to be worked on, and was accepted elsewhere: nothing is done with it until kg_retry_parked takes it on; or delete it`,
    }));
  return [
    ...tellSome(parked, (count) => ({ kind: 'episode', paths: [index.root], message: `${count} more episodes are parked` })),
    ...tellSome(foreign, (count) => ({
      kind: 'episode',
      paths: [index.root],
      message: `${count} more episodes that were accepted elsewhere wait`,
    })),
  ];
}

function checkNote(index: KnowledgeIndex, note: Note): readonly ToolsetFinding[] {
  const stored = index.at(note.path);
  if (stored?.kind === 'entity') return unreadable(stored, note);
  if (stored?.kind !== 'episode' || !isEdited(stored, readEpisodeContent(bodyOf(note)).body)) return [];
  const message = `${note.path} was edited, and an episode is kept as it was accepted: tools answer that text. Put it back ("roux get --at 1" shows it), or ingest the new one as another episode`;
  return [{ kind: 'episode', paths: [note.path], message }];
}

/** Lines that were facts: they stay as prose, and no search finds them. */
function unreadable({ path, problems }: StoredEntity, { text }: Note): readonly ToolsetFinding[] {
  return tellSome(
    problems.map(({ line, reason }): ToolsetFinding => ({
      kind: 'unreadable-line',
      paths: [path],
      message: `${path}:${lineOf(text, line)}: ${quoted(line)} was a fact, and is none: ${reason}`,
    })),
    (count) => ({ kind: 'unreadable-line', paths: [path], message: `${path} has ${count} more lines like these` }),
  );
}

function tellSome(findings: readonly ToolsetFinding[], rest: (count: number) => ToolsetFinding): readonly ToolsetFinding[] {
  return findings.length <= MAX_REPORTED ? findings : [...findings.slice(0, MAX_REPORTED), rest(findings.length - MAX_REPORTED)];
}

function quoted(text: string): string {
  return shorten(JSON.stringify(text), MAX_TEXT_CHARACTERS);
}

function lineOf(text: string, line: string): number {
  return text.slice(0, Math.max(0, text.indexOf(line))).split(/\r\n|\n|\r/).length;
}
