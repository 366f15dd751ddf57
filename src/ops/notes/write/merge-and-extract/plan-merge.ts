import { RouxError } from '../../../../errors.ts';
import type { GraphView, NoteEntry } from '../../../../graph/view.ts';
import type { NoteChange } from '../../../../note/change.ts';
import { bodyStartOf } from '../../../../note/frontmatter/read-frontmatter.ts';
import { leastOrigin } from '../../../../note/origin.ts';
import type { Origin } from '../../../../note/origin.ts';
import { planMergedLinks } from '../../../../vault/links/renames/plan-merge.ts';
import type { FileChange, Plan } from '../../../../vault/plan/plan.ts';
import { planRemoval } from '../../../call/guards.ts';
import { statedOrigin } from '../../../call/origin.ts';
import { createRenameContext } from '../../../links.ts';
import { isTaskNote } from '../../../node-properties.ts';
import type { OperationContext } from '../../../operation.ts';
import { hasToolSections } from '../../../vault-ontology.ts';
import { refuseProtected } from '../delete-node.ts';
import { planUpdate } from '../update-plan.ts';
import { findClashes, readSource, readText, refuseOpenEnd } from './merge-source.ts';
import type { MergeSource } from './merge-source.ts';
import { mergeProperties } from './merged-properties.ts';

const REMEDIES = { task: 'graph_restructure {op: "merge"} merges tasks.', other: 'Merge what it says with them.' };

/** The target of a merge, and what became of the rest. */
export interface Merged {
  readonly id: string;
  readonly path: string;
  /** Paths of the notes that are in the trash now. */
  readonly merged: readonly string[];
  /** Other files in which links were rewritten. */
  readonly links_rewritten_in: number;
}

/** Plans to merge notes into one. Throws if something of them would be lost. */
export async function planMerge(
  context: OperationContext,
  graph: GraphView,
  target: NoteEntry,
  sources: readonly NoteEntry[],
): Promise<Plan & { readonly result: Merged }> {
  for (const note of [target, ...sources]) await refuseToolNote(context, graph, note, REMEDIES);
  for (const source of sources) refuseProtected(context, source);
  const links = planMergedLinks(
    createRenameContext(context.vault, graph),
    sources.map(({ path }) => path),
    target.path,
  );
  const text = readText(context, target);
  refuseOpenEnd(target.path, text);
  const read = withoutShared(
    text.slice(bodyStartOf(text)),
    sources.map((source) => readSource(context, source, links.inner.get(source.path) ?? [])),
  );
  const { add, properties, type, changes, warnings } = mergeProperties(target, read);
  const body = read.flatMap((source) => (source.body === '' ? [] : [source.body])).join('\n\n');
  const planned = planUpdate(context, target, {
    add,
    properties,
    type,
    origin: originOf(target, sources),
    parts: body === '' ? [] : [{ kind: 'insert', at: 'end', text: `\n${body}`, under: null, makes: false, isAbove: false }],
  });
  const inTarget = links.inner.get(target.path) ?? [];
  const relinked: readonly NoteChange[] = inTarget.length === 0 ? [] : [{ op: 'relink', links: inTarget }];
  const first: readonly FileChange[] =
    relinked.length + changes.length === 0 ? [] : [{ kind: 'change', path: target.path, changes: [...relinked, ...changes] }];
  const removed = sources.map(({ path, hash }): FileChange => ({ kind: 'remove', path, to: 'trash', expect: { etag: hash } }));
  return {
    files: [...first, ...planned.files, ...links.files, ...removed],
    warnings: [
      ...warnings,
      ...findClashes(graph, target, text, read),
      ...embedsOfItself(graph, target, sources),
      ...planned.warnings,
      ...links.warnings,
    ],
    result: { id: target.id, path: target.path, merged: sources.map(({ path }) => path), links_rewritten_in: links.files.length },
  };
}

/** Leaves out what the text before has already: all of a source that is a part of it, and its beginning where that is all of it, as in a copy that grew. */
function withoutShared(text: string, sources: readonly MergeSource[]): readonly MergeSource[] {
  let kept = text.trim();
  return sources.map((source) => {
    const { body } = source;
    // Whole lines: "Yes" is no part of "Yesterday".
    const isKnown = `\n${kept}\n`.includes(`\n${body}\n`);
    const more = isKnown ? '' : kept !== '' && body.startsWith(`${kept}\n`) ? body.slice(kept.length).replace(/^\s*\n/, '') : body;
    kept = [kept, more].filter((part) => part !== '').join('\n\n');
    return { ...source, body: more };
  });
}

/** Warns if one of the notes embeds another one of them. */
function embedsOfItself(graph: GraphView, target: NoteEntry, sources: readonly NoteEntry[]): readonly string[] {
  const paths = new Set<string>([target, ...sources].map(({ path }) => path));
  return [...paths].flatMap((path) =>
    graph
      .links(path)
      .some((link) => link.isEmbed && link.target.kind === 'note' && link.target.path !== path && paths.has(link.target.path))
      ? [`${path} embeds a note that is one with it now, so that ${target.path} embeds itself; remove that line.`]
      : [],
  );
}

/** A text is as little to be trusted as the least of what it was made of (K-19); undefined if the target says so already. */
function originOf(target: NoteEntry, sources: readonly NoteEntry[]): Origin | undefined {
  const stated = statedOrigin(target);
  const least = leastOrigin(stated, ...sources.map(statedOrigin));
  return least === stated ? undefined : least;
}

/** Refuses notes of other toolsets, whose own tools keep what these need. `remedies` complete the messages. */
export async function refuseToolNote(
  context: OperationContext,
  graph: GraphView,
  note: NoteEntry,
  remedies: { readonly task: string; readonly other: string },
): Promise<void> {
  if (isTaskNote(context, note)) throw new RouxError('INVALID_PARAMS', `${note.path} is a task; ${remedies.task}`, { path: note.path });
  const isOwned = hasToolSections(context, note) || (await planRemoval(context, graph, note)) !== null;
  if (!isOwned) return;
  const message = `${note.path} is kept by the tools of memory, ontology or knowledge, which find it by its name. ${remedies.other}`;
  throw new RouxError('INVALID_PARAMS', message, { path: note.path });
}
