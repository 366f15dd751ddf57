import type { Task } from '../../../graph/tasks/task.ts';
import type { GraphView } from '../../../graph/view.ts';
import { decodeText, encodeText, readsBack } from '../../../note/body/entry-text.ts';
import { readBodySection } from '../../../note/body/section.ts';
import { isPropertyList } from '../../../note/frontmatter/property-value.ts';
import type { Properties, PropertyValue } from '../../../note/note.ts';
import type { NotePath } from '../../../note/path.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { OperationContext } from '../../operation.ts';
import { readEvidence } from './shapes.ts';
import type { EvidenceShape } from './shapes.ts';

/** The property of a task that links to the notes with its older evidence, oldest first. */
export const EVIDENCE_NOTES = 'evidence_notes';
/** The section of such a note with the evidence, and the property with its types. */
export const EVIDENCE_SECTION = 'Evidence';
export const EVIDENCE_TYPES = 'evidence_types';

/** Returns whether a task has evidence, in its note or in evidence notes. */
export function hasEvidence(values: Properties): boolean {
  return readEvidence(values).length > 0 || values[EVIDENCE_NOTES] !== undefined;
}

/** Returns the notes with older evidence of a task, oldest first. */
export function evidenceNotesOf(graph: GraphView, path: string): readonly NotePath[] {
  const links = graph.links(path).filter(({ property }) => property?.split('.')[0] === EVIDENCE_NOTES);
  return links.flatMap(({ target }) => (target.kind === 'note' ? [target.path] : []));
}

/** Writes an entry as one line of a list item; `readEntry` reads it. */
export function writeEntry(entry: PropertyValue): string {
  return encodeText(JSON.stringify(entry), readsBack);
}

function readEntry(line: string): PropertyValue {
  const text = decodeText(line);
  try {
    return JSON.parse(text) as PropertyValue;
  } catch {
    // Plain text was written by a person.
    return text;
  }
}

/** Counts the evidence of a task in evidence notes and names them; empty if there is none. */
export function olderEvidence(
  { vault }: Pick<OperationContext, 'vault'>,
  { note }: Task,
): { older_evidence?: { readonly count: number; readonly notes: readonly NotePath[] } } {
  if (!note.hasOlderEvidence) return {};
  const notes = evidenceNotesOf(vault.graph, note.path);
  const count = notes.reduce((sum, path) => sum + linesOf(vault, path).length, 0);
  return { older_evidence: { count, notes } };
}

/** Returns the newest entries from the evidence notes of a task, in order; reads notes from the last until it has enough. */
export function newestOlderEvidence(vault: Vault, { note }: Task, max: number): readonly EvidenceShape[] {
  let found: readonly string[] = [];
  for (const path of note.hasOlderEvidence ? evidenceNotesOf(vault.graph, note.path).toReversed() : []) {
    if (found.length >= max) break;
    found = [...linesOf(vault, path), ...found];
  }
  return readEvidence({ evidence: found.slice(Math.max(0, found.length - max)).map(readEntry) });
}

/** Returns whether a task has evidence of this type, including in evidence notes. */
export function hasEvidenceType(graph: GraphView, { note }: Task, type: string): boolean {
  if (note.evidenceTypes.includes(type)) return true;
  if (!note.hasOlderEvidence) return false;
  return evidenceNotesOf(graph, note.path).some((path) => {
    const types = graph.get(path)?.properties[EVIDENCE_TYPES];
    return types === type || (isPropertyList(types) && types.includes(type));
  });
}

function linesOf(vault: Vault, path: NotePath): readonly string[] {
  const section = readBodySection(vault.notes.readTextUnstable(path) ?? '', EVIDENCE_SECTION);
  return section?.entries.map(({ line }) => line) ?? [];
}
