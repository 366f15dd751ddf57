import type { Note } from '../../../note/note.ts';
import type { NotePath } from '../../../note/path.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { ToolsetChecks, ToolsetFinding, DatedFact } from '../../operation.ts';
import { presentNote } from '../../present-note.ts';
import { shorten } from '../../shorten.ts';
import { isForeign } from '../ingest/mark.ts';
import { AWAY } from '../ingest/outcome.ts';
import { bodyOf, readEpisodeContent } from '../stored/episode-note.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';
import type { Stored, StoredEntity, StoredFact } from '../stored/shapes.ts';
import { isEdited } from '../stored/stored-body.ts';
import { findSeveralValues } from './several-values.ts';
import { STALE_AFTER, VERIFIED } from '../../../note/freshness.ts';
import { toFact } from '../stored/statements.ts';

/** Findings of one kind that are listed, for one note or for all. */
const MAX_REPORTED = 20;
const MAX_TEXT_CHARACTERS = 120;

/** Returns the checks of the notes of the knowledge graph. */
export function knowledgeChecks(vault: Vault): ToolsetChecks {
  const index = knowledgeOf(vault);
  index.refresh();
  return {
    all() {
      index.refresh();
      return [
        ...findDuplicates(vault, index),
        ...findUnresolvedFacts(index),
        ...findSeveralValues(vault, index),
        ...findStuckItems(vault, index),
      ];
    },
    note: (path) => checkKnowledgeNote(vault, index, path),
    datedFacts() {
      index.refresh();
      return findDatedFacts(index);
    },
  };
}

/** Finds notes of one group with the same uuid but different ids, of which only one is served. */
function findDuplicates({ graph }: Vault, index: KnowledgeIndex): readonly ToolsetFinding[] {
  const byUuid = new Map<string, Stored[]>();
  for (const stored of index.all()) {
    const key = `${stored.kind} ${stored.groupId} ${stored.uuid}`;
    byUuid.set(key, [...(byUuid.get(key) ?? []), stored]);
  }
  // Equal ids are reported by the check of all notes.
  const isReportedElsewhere = (stored: Stored): boolean => graph.get(stored.path)?.id === stored.uuid;
  return [...byUuid.values()]
    .filter((alike) => alike.length > 1 && !alike.every(isReportedElsewhere))
    .map((alike): ToolsetFinding => {
      const served = alike.find((stored) => index.isServed(stored)) ?? alike[0]!;
      const paths = [served, ...alike.filter((each) => each !== served)].map(({ path }) => path);
      const message = `${paths.join(' and ')} have the same uuid ${served.uuid} in the group ${served.groupId}; only ${served.path} is served. Give the others another uuid, or delete them`;
      return { kind: 'duplicate-id', paths, message };
    });
}

/** Finds facts with an unresolved target. */
function findUnresolvedFacts(index: KnowledgeIndex): readonly ToolsetFinding[] {
  return index.all().flatMap((stored): readonly ToolsetFinding[] => {
    if (stored.kind !== 'entity') return [];
    const unresolved = stored.facts.filter((fact) => index.targetOf(fact, stored.path) === null);
    return limitFindings(
      unresolved.map(({ fact, linkpath }): ToolsetFinding => ({
        kind: 'fact',
        paths: [stored.path],
        message: `${stored.path}: the target of the fact ${quoted(fact)} does not exist; create the note [[${shorten(linkpath, MAX_TEXT_CHARACTERS)}]], or correct the line`,
      })),
      (count) => ({ kind: 'fact', paths: [stored.path], message: `${stored.path} has ${count} more facts whose target does not exist` }),
    );
  });
}

/** Finds items that will not be processed until they are retried. */
function findStuckItems({ ports }: Vault, index: KnowledgeIndex): readonly ToolsetFinding[] {
  const episodes = index.all().filter((stored) => stored.kind === 'episode');
  const parked = episodes.flatMap(({ path, ingest }): ToolsetFinding[] => {
    if (ingest?.state !== 'parked') return [];
    const { code, message } = ingest.error ?? { code: 'unknown', message: 'no reason is given' };
    const why = shorten(`${code}: ${message}`, 2 * MAX_TEXT_CHARACTERS);
    return [{ kind: 'episode', paths: [path], message: `${path} is parked (${why}); fix the cause, then retry it with kg_retry_parked` }];
  });
  const waiting = episodes.filter(({ ingest }) => ingest?.error?.code === AWAY);
  const away = waiting.slice(0, 1).map(({ path, ingest }): ToolsetFinding => ({
    kind: 'episode',
    paths: [path],
    message: `${waiting.length} ${waiting.length === 1 ? 'episode waits' : 'episodes wait'} for the endpoint that reads facts: ${ingest?.error?.message ?? ''} Each is tried again by itself; kg_get_receipt says when`,
  }));
  const foreign = episodes
    .filter((episode) => isForeign(ports, episode))
    .map(({ path }): ToolsetFinding => ({
      kind: 'episode',
      paths: [path],
      message: `${path} was accepted elsewhere and is not processed here until it is retried with kg_retry_parked; or delete it`,
    }));
  return [
    ...limitFindings(parked, (count) => ({ kind: 'episode', paths: [index.root], message: `${count} more episodes are parked` })),
    ...away,
    ...limitFindings(foreign, (count) => ({
      kind: 'episode',
      paths: [index.root],
      message: `${count} more episodes were accepted elsewhere and are not processed`,
    })),
  ];
}

function checkKnowledgeNote(vault: Vault, index: KnowledgeIndex, path: NotePath): readonly ToolsetFinding[] {
  const stored = index.at(path);
  const note = stored === null ? null : presentNote(vault, path);
  if (note === null) return [];
  if (stored?.kind === 'entity') return findUnreadableLines(stored, note);
  if (stored?.kind !== 'episode' || !isEdited(stored, readEpisodeContent(bodyOf(note)).body)) return [];
  const message = `${note.path} was edited, but episodes are immutable: tools still return the accepted text. Restore it ("roux get --at 1" shows it), or ingest the new text as another episode`;
  return [{ kind: 'episode', paths: [note.path], message }];
}

/** Finds lines that were facts and can no longer be parsed; they are prose to every search. */
function findUnreadableLines({ path, problems }: StoredEntity, { text }: Note): readonly ToolsetFinding[] {
  return limitFindings(
    problems.map(({ line, reason }): ToolsetFinding => ({
      kind: 'unreadable-line',
      paths: [path],
      message: `${path}:${lineOf(text, line)}: ${quoted(line)} was a fact and can no longer be read: ${reason}`,
    })),
    (count) => ({ kind: 'unreadable-line', paths: [path], message: `${path} has ${count} more lines like these` }),
  );
}

function limitFindings(findings: readonly ToolsetFinding[], rest: (count: number) => ToolsetFinding): readonly ToolsetFinding[] {
  return findings.length <= MAX_REPORTED ? findings : [...findings.slice(0, MAX_REPORTED), rest(findings.length - MAX_REPORTED)];
}

function quoted(text: string): string {
  return shorten(JSON.stringify(text), MAX_TEXT_CHARACTERS);
}

function lineOf(text: string, line: string): number {
  return text.slice(0, Math.max(0, text.indexOf(line))).split(/\r\n|\n|\r/).length;
}

/** Finds the facts and statements that are still believed and have been confirmed, or have a day from which on they are stale. */
function findDatedFacts(index: KnowledgeIndex): readonly DatedFact[] {
  return index.all().flatMap((stored) =>
    factsOf(stored).flatMap((fact): readonly DatedFact[] => {
      if ((fact.staleAfter === null && fact.verified.length === 0) || fact.expiredAt !== null || !index.isServed(stored)) return [];
      return [{ path: stored.path, uuid: fact.uuid, fact: fact.fact, freshness: fact }];
    }),
  );
}

/** Returns the facts of a note if any of them may be dated: parsing all of a large vault takes seconds. */
function factsOf(stored: Stored): readonly StoredFact[] {
  if (stored.kind === 'entity')
    return stored.factLines.some((line) => line.includes(STALE_AFTER) || line.includes(VERIFIED)) ? stored.facts : [];
  return stored.statementInfo === null ? [] : stored.statements.map((statement) => toFact(statement, stored));
}
