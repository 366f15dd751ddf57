import { createHash } from 'node:crypto';
import { openGraph } from '../../../src/graph/open-graph.ts';
import { applyChanges } from '../../../src/note/edit.ts';
import { applySplices } from '../../../src/note/text.ts';
import type { MoveContext } from '../../../src/vault/links/move.ts';
import { planRename } from '../../../src/vault/links/rename.ts';
import type { Destination, RenameContext } from '../../../src/vault/links/rename.ts';
import { planRenames } from '../../../src/vault/links/renames/plan-renames.ts';
import type { Plan } from '../../../src/vault/plan/plan.ts';
import { putFile } from '../../graph/graph-of.ts';

export type Files = Readonly<Record<string, string>>;

/** What plans are made from, over a vault that is only a record of texts. */
export function contextOf(files: Files, options: Partial<RenameContext> & { hidden?: readonly string[] } = {}): RenameContext {
  const graph = openGraph();
  for (const [path, text] of Object.entries(files)) putFile(graph, { path, text, isHidden: options.hidden?.includes(path) ?? false });
  return {
    graph,
    readText: (path) => files[path] ?? null,
    style: { format: 'shortest', markdown: false },
    at: '2026-01-02T03:04:05.678Z',
    filenames: 'title',
    renameAlias: 'off',
    ...options,
  };
}

/** The files after a plan, carried out in memory with the same edits as on disk. */
export function carryOut(files: Files, plan: Plan): Record<string, string> {
  const after: Record<string, string> = { ...files };
  const seen = new Set<string>();
  const arrived: [string, string][] = [];
  for (const file of plan.files) {
    const name = file.kind === 'move' ? file.from : file.path;
    if (seen.has(name)) throw new Error(`${name} is in the plan twice`);
    seen.add(name);
    const text = (file.kind === 'move' ? files[file.from] : files[file.path]) ?? '';
    if (file.kind === 'change') after[file.path] = applyChanges(file.path, text, file.changes).text;
    else if (file.kind === 'splice') {
      if (createHash('sha256').update(text).digest('hex') !== file.hash) throw new Error(`${file.path} was planned for other bytes`);
      after[file.path] = applySplices(text, file.splices);
    } else if (file.kind === 'create-bytes') arrived.push([file.path, Buffer.from(file.base64, 'base64').toString()]);
    else if (file.kind === 'create') arrived.push([file.path, file.text]);
    else {
      delete after[name];
      if (file.kind === 'move') arrived.push([file.to, file.rewrite?.bytes.toString() ?? applyChanges(file.from, text, file.changes).text]);
    }
  }
  for (const [path, text] of arrived) after[path] = text;
  return after;
}

/** The plan that gives a folder another path. */
export function planFolderMove(context: RenameContext, from: string, to: string): Plan {
  return planRenames(context, [{ kind: 'folder', from, to }]);
}

/** Renames `Old.md` (or another file) and gives the files afterwards with the warnings. */
export function rename(
  files: Files,
  options: Partial<RenameContext> & { from?: string; to?: Destination | string; hidden?: readonly string[] } = {},
): { files: Record<string, string>; warnings: readonly string[]; to: string; touched: string[] } {
  const { from = 'Old.md', to = 'New', ...context } = options;
  const plan = planRename(contextOf(files, context), from, typeof to === 'string' ? { title: to } : to);
  const touched = plan.files.map((file) => (file.kind === 'move' ? file.from : file.path));
  return { files: carryOut(files, plan), warnings: plan.warnings ?? [], to: plan.to, touched };
}

/** Where every link of every note leads, by source and place in the text; targets by the text of their file. */
export function linkTargets(files: Files): Record<string, readonly string[]> {
  const { graph }: MoveContext = contextOf(files);
  const targets: Record<string, readonly string[]> = {};
  for (const entry of graph.entries()) {
    targets[entry.path] = graph.links(entry.path).map(({ target }) => (target.kind === 'unresolved' ? '-' : target.path));
  }
  return targets;
}
