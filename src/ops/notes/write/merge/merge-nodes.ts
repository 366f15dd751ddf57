import * as z from 'zod';
import { RouxError } from '../../../../errors.ts';
import type { GraphView, NoteEntry } from '../../../../graph/view.ts';
import { headingKey } from '../../../../note/body/heading-path.ts';
import { applyChanges } from '../../../../note/edit.ts';
import { bodyStartOf } from '../../../../note/frontmatter/read-frontmatter.ts';
import { leastOrigin } from '../../../../note/origin.ts';
import type { Origin } from '../../../../note/origin.ts';
import { planMergedLinks } from '../../../../vault/links/renames/plan-merge.ts';
import type { FileChange, Plan } from '../../../../vault/plan/plan.ts';
import { planRemoval } from '../../../call/guards.ts';
import { statedOrigin } from '../../../call/note-origin.ts';
import { limitWarnings } from '../../../dry-run.ts';
import { createRenameContext } from '../../../links.ts';
import { isTaskNote } from '../../../node-properties.ts';
import { defineOperation, writeMeta } from '../../../operation.ts';
import type { OperationContext } from '../../../operation.ts';
import { findNoteUnderLock, requireNote } from '../../../reference.ts';
import { hasToolSections } from '../../../vault-ontology.ts';
import { refuseProtected } from '../delete-node.ts';
import { mergeProperties } from './merged-properties.ts';
import { planUpdate } from '../update-plan.ts';

const MAX_SOURCES = 50;
const MAX_NAMED = 5;

/** The result of `merge_nodes`. */
export interface MergedNodes {
  readonly id: string;
  readonly path: string;
  /** Paths of the notes that are in the trash now. */
  readonly merged: readonly string[];
  /** Other files in which links were rewritten. */
  readonly links_rewritten_in: number;
  /** For undo. */
  readonly batch: string | null;
  readonly _warnings?: readonly string[];
}

/** Merges notes into another one: text, properties and every link. */
export const mergeNodes = defineOperation({
  name: 'merge_nodes',
  toolset: 'vault',
  title: 'Merge notes',
  summary: 'Merge notes into one: text (at its end), lists and every link; the sources go to the trash.',
  effect: 'destroy',
  isIdempotent: false,
  input: z.object({
    sources: z.array(z.string()).min(1).max(MAX_SOURCES).describe('Notes to merge into target'),
    target: z.string().describe('Its values win'),
  }),
  async run(context, { sources, target }): Promise<MergedNodes> {
    const into = await requireNote(context, target);
    const from: (readonly [string, NoteEntry])[] = [];
    for (const id of sources) from.push([id, await requireNote(context, id)]);
    const committed = await context.vault.writes.write(writeMeta(context, 'merge_nodes'), async (graph) => {
      const kept = await lookAgain(context, target, into);
      const ending = new Map<string, NoteEntry>();
      for (const [id, entry] of from) {
        const now = await lookAgain(context, id, entry);
        if (now.path === kept.path)
          throw new RouxError('INVALID_PARAMS', `merge_nodes: ${kept.path} is the target and a source. Name it once.`, {
            field: 'sources',
          });
        ending.set(now.path, now);
      }
      return planMerge(context, graph, kept, [...ending.values()]);
    });
    const { result } = committed;
    const warnings = limitWarnings(committed);
    return { ...result, batch: committed.batch, ...(warnings.length === 0 ? {} : { _warnings: warnings }) };
  },
});

async function lookAgain(context: OperationContext, id: string, found: NoteEntry): Promise<NoteEntry> {
  const entry = await findNoteUnderLock(context, found, id);
  if (entry !== null) return entry;
  throw new RouxError('NODE_NOT_FOUND', `${found.path} is gone: somebody removed it. Nothing was merged.`, { id });
}

type MergePlan = Plan & { readonly result: Omit<MergedNodes, 'batch' | '_warnings'> };

async function planMerge(
  context: OperationContext,
  graph: GraphView,
  target: NoteEntry,
  sources: readonly NoteEntry[],
): Promise<MergePlan> {
  for (const note of [target, ...sources]) await refuseToolNote(context, graph, note);
  for (const source of sources) refuseProtected(context, source);
  const links = planMergedLinks(
    createRenameContext(context.vault, graph),
    sources.map(({ path }) => path),
    target.path,
  );
  const texts = sources.map((source) => {
    const text = textOf(context, source);
    const relinks = links.inner.get(source.path) ?? [];
    const relinked = relinks.length === 0 ? text : applyChanges(source.path, text, [{ op: 'relink', links: relinks }]).text;
    return relinked.slice(bodyStartOf(relinked)).trim();
  });
  const { add, properties, changes, warnings } = mergeProperties(target, sources);
  const body = texts.filter((text) => text !== '').join('\n\n');
  const planned = planUpdate(context, target, {
    add,
    properties,
    origin: originOf(target, sources),
    parts: body === '' ? [] : [{ kind: 'insert', at: 'end', text: `\n${body}`, under: null, makes: false, isAbove: false }],
  });
  const inTarget = links.inner.get(target.path) ?? [];
  const first: FileChange[] =
    inTarget.length + changes.length === 0
      ? []
      : [
          {
            kind: 'change',
            path: target.path,
            changes: [...(inTarget.length === 0 ? [] : [{ op: 'relink' as const, links: inTarget }]), ...changes],
          },
        ];
  const removed = sources.map(({ path, hash }): FileChange => ({ kind: 'remove', path, to: 'trash', expect: { etag: hash } }));
  return {
    files: [...first, ...planned.files, ...links.files, ...removed],
    warnings: [...warnings, ...clashes(context, graph, target, sources), ...planned.warnings, ...links.warnings],
    result: { id: target.id, path: target.path, merged: sources.map(({ path }) => path), links_rewritten_in: links.files.length },
  };
}

/** A text is as little to be trusted as the least of what it was made of (K-19); undefined if the target says so already. */
function originOf(target: NoteEntry, sources: readonly NoteEntry[]): Origin | undefined {
  const stated = statedOrigin(target);
  const least = leastOrigin(stated, ...sources.map(statedOrigin));
  return least === stated ? undefined : least;
}

/** The notes of other toolsets have tools of their own, which keep what these need. */
async function refuseToolNote(context: OperationContext, graph: GraphView, note: NoteEntry): Promise<void> {
  if (isTaskNote(context, note))
    throw new RouxError('INVALID_PARAMS', `${note.path} is a task; graph_restructure {op: "merge"} merges tasks.`, { path: note.path });
  const isOwned = hasToolSections(context, note) || (await planRemoval(context, graph, note)) !== null;
  if (!isOwned) return;
  const message = `${note.path} is kept by the tools of memory, ontology or knowledge, which find it by its name. Merge what it says with them.`;
  throw new RouxError('INVALID_PARAMS', message, { path: note.path });
}

function textOf({ vault }: OperationContext, { path, hash }: NoteEntry): string {
  const onDisk = vault.notes.readUnstable(path);
  if (onDisk !== null && onDisk.hash === hash) return onDisk.note.text;
  throw new RouxError('CONFLICT', `${path} changed a moment ago; read it again and retry.`, { path }, { retryable: true });
}

/** Warns of headings and blocks that links name and that the target has too: such a link leads to the first of the two. */
function clashes({ vault }: OperationContext, graph: GraphView, target: NoteEntry, sources: readonly NoteEntry[]): readonly string[] {
  const headings = new Set(target.headings.map(({ text }) => headingKey(text)));
  const blocks = new Set(target.blocks.map((block) => block.toLowerCase()));
  const footnotes = new Set(footnotesIn(vault, target));
  return sources.flatMap((source) => {
    const named = new Set(graph.backlinks(source.path).map(({ subpath }) => subpath));
    const doubled = [...named].filter((subpath) =>
      subpath.startsWith('#^') ? blocks.has(subpath.slice(2).toLowerCase()) : subpath !== '' && headings.has(headingKey(subpath.slice(1))),
    );
    const notes = footnotesIn(vault, source).filter((name) => footnotes.has(name));
    return [
      ...doubled
        .slice(0, MAX_NAMED)
        .map((part) => `Links to ${source.path}${part} lead to the first "${part.slice(1)}" of ${target.path} now.`),
      ...(notes.length === 0
        ? []
        : [`Both ${source.path} and ${target.path} define the footnote ${notes.slice(0, MAX_NAMED).join(', ')}; rename one of the two.`]),
    ];
  });
}

function footnotesIn(vault: OperationContext['vault'], { path }: NoteEntry): readonly string[] {
  const text = vault.notes.readUnstable(path)?.note.text ?? '';
  return [...text.matchAll(/^\[\^([^\]\s]{1,100})\]:/gm)].map(([, name = '']) => `[^${name}]`);
}
