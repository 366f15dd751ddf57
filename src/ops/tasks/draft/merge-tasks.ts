import { RouxError } from '../../../errors.ts';
import { DEPENDS_ON } from '../../../graph/tasks/task-note.ts';
import type { Task } from '../../../graph/tasks/task.ts';
import { isPropertyList, isPropertyMap } from '../../../note/frontmatter/property-value.ts';
import type { PropertyValue } from '../../../note/note.ts';
import type { OperationContext } from '../../operation.ts';
import { shorten } from '../../shorten.ts';
import { claimRules, holderOf } from '../view/claims.ts';
import { bringCriteria } from '../view/criteria.ts';
import { findPath } from '../view/cycles.ts';
import { EVIDENCE_NOTES } from '../view/evidence-notes.ts';
import { readContextLinks } from '../view/shapes.ts';
import type { DraftTask } from './draft-task.ts';
import type { Draft } from './draft.ts';

/** Maximum characters of the body retained as evidence; the whole note is in the trash. */
const MAX_BODY_CHARACTERS = 8000;

/**
 * Merges one task into another: children, evidence, edges of every type and links from the whole vault move over, values of the target win,
 * and the source goes to the trash. Throws if this would create a loop.
 */
export function mergeTasks(context: OperationContext, draft: Draft, { source, target }: { source: Task; target: Task }): void {
  refuse(draft, source, target);
  const from = draft.edit(source);
  const into = draft.edit(target);
  for (const child of draft.childrenOf(from.path)) {
    const moved = draft.at(child);
    if (moved === null) continue;
    draft.setParent(moved, into.path);
    moved.act('moved');
    if (!moved.isResolved) draft.reopenAbove(into.path);
  }
  moveEdges(draft, from, into);
  refuseLoop(draft, from, into);
  mergeValues(from, into);
  into.adopt(bringCriteria(context, from, into));
  passClaim(context, draft, { source, target });
  mergeEvidence(from, into, [{ type: 'merged', ref: retainedText(context, from), agent: draft.author.agent, timestamp: draft.author.at }]);
  draft.redirect(from.path, into.path);
  from.isRemoved = true;
  from.act('merged');
  from.remark('merged_into', into.id);
  from.remark('summary', null, from.summary);
  into.act('merged');
  into.remark('merged_from', from.id);
}

function refuse(draft: Draft, source: Task, target: Task): void {
  const [from, into] = [source.note, target.note];
  if (source === target) throw new RouxError('validation_error', `"${from.summary}" cannot be merged into itself.`, { node_id: from.id });
  if (from.project !== into.project) {
    throw new RouxError('cross_project', `"${from.summary}" is in project "${from.project}", "${into.summary}" in "${into.project}".`, {
      node_id: from.id,
    });
  }
  if (source.isRoot)
    throw new RouxError('validation_error', `"${from.summary}" is the root of its project and cannot be merged away.`, {
      node_id: from.id,
    });
  if (!draft.ancestorsOf(into.path).includes(from.path)) return;
  throw new RouxError(
    'cycle_detected',
    `"${from.summary}" is above "${into.summary}": move that one out first, or merge the other way round.`,
    {
      node_id: from.id,
    },
  );
}

/** Moves edges from and to the source to the target, except edges to itself. */
function moveEdges(draft: Draft, from: DraftTask, into: DraftTask): void {
  for (const { type, target, value } of from.edges()) {
    if (target === null) into.change({ op: 'append', key: [type], value, unique: true });
    else if (target !== into.path && target !== from.path) draft.connect(into, type, target);
  }
  for (const pointing of draft.pointingTo(from.path)) {
    for (const type of new Set(pointing.edges().map((edge) => edge.type))) {
      if (!pointing.removeEdge(type, from.path)) continue;
      if (pointing !== into && pointing !== from) draft.connect(pointing, type, into.path);
    }
  }
}

function refuseLoop(draft: Draft, from: DraftTask, into: DraftTask): void {
  const steps = (path: string): readonly string[] => (path === from.path ? [] : draft.dependenciesOf(path));
  const cycle = findPath({ from: into.path, to: into.path, steps });
  if (cycle === null) return;
  const names = draft.namesOf(cycle);
  throw new RouxError(
    'cycle_detected',
    `Merged, these would wait for one another: ${names.join(' → ')}. Remove a ${DEPENDS_ON} edge first.`,
    {
      cycle: cycle.map((path) => draft.at(path)?.id ?? path),
    },
  );
}

/** Moves a claim with the work; a claim on the target wins, and the other holder is named in a warning. */
function passClaim(context: OperationContext, draft: Draft, { source, target }: { source: Task; target: Task }): void {
  const rules = claimRules(context);
  const [holder, targetHolder] = [holderOf(source, rules), holderOf(target, rules)];
  if (holder === null || (holder === targetHolder && source.note.claim?.session === target.note.claim?.session)) return;
  if (targetHolder !== null) {
    draft.warn(`"${source.note.summary}" was held by ${holder}; "${target.note.summary}" stays with ${targetHolder}.`);
    return;
  }
  const into = draft.edit(target);
  if (!into.isResolved) draft.setClaim(into, source.note.claim);
}

/** Adds links of the source, and its state and properties where the target has none. */
function mergeValues(from: DraftTask, into: DraftTask): void {
  for (const link of readContextLinks(from.values)) into.change({ op: 'append', key: ['context_links'], value: link, unique: true });
  for (const link of listOf(from.values[EVIDENCE_NOTES])) into.change({ op: 'append', key: [EVIDENCE_NOTES], value: link, unique: true });
  const properties = from.values['properties'];
  for (const [name, value] of Object.entries(isPropertyMap(properties) ? properties : {})) {
    if (!/^_(?:claimed|handoff)_/.test(name) && !into.hasProperty(name)) into.setProperty(name, value);
  }
  const { state } = from.values;
  if (state !== undefined && into.values['state'] === undefined) into.set(['state'], state);
}

/** Merges all evidence by time; entries without a time retain their order. */
function mergeEvidence(from: DraftTask, into: DraftTask, added: readonly PropertyValue[]): void {
  const own = listOf(into.values['evidence']);
  const joined = [...own, ...listOf(from.values['evidence']), ...added];
  const sorted = joined.map((one, index) => ({ one, index, ms: msOf(one) })).sort((a, b) => a.ms - b.ms || a.index - b.index);
  const isAppended = own.every((one, index) => sorted[index]?.one === one);
  const merged = sorted.map(({ one }) => one);
  if (isAppended) for (const one of merged.slice(own.length)) into.change({ op: 'append', key: ['evidence'], value: one });
  else into.set(['evidence'], merged);
}

function listOf(value: PropertyValue | undefined): readonly PropertyValue[] {
  if (value === undefined || value === null) return [];
  return isPropertyList(value) ? value : [value];
}

function msOf(evidence: PropertyValue): number {
  const time = isPropertyMap(evidence) ? evidence['timestamp'] : null;
  const ms = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(ms) ? 0 : ms;
}

function retainedText(context: OperationContext, from: DraftTask): string {
  const note = context.vault.notes.readUnstable(from.path)?.note;
  const body = note === undefined ? '' : note.text.slice(note.bodyStart).trim();
  const text = body === '' ? from.summary : `${from.summary}\n\n${body}`;
  return shorten(text, MAX_BODY_CHARACTERS);
}
