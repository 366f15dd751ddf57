import * as z from 'zod';
import type { GraphView } from '../../../graph/view.ts';
import { isoTime } from '../../../note/iso-date.ts';
import { fileName, folderOf } from '../../../note/path.ts';
import { compareText } from '../../../note/text.ts';
import { newFilePlaces } from '../../../vault/obsidian/new-files.ts';
import { tasksOf } from '../../../vault/task-graph.ts';
import { newestNotes } from '../../lists/newest-notes.ts';
import { openCounts } from './open-counts.ts';
import { defineOperation } from '../../operation.ts';
import { shorten, takeWhileFits } from '../../shorten.ts';

/** Maximum characters of each list; with what is beside them, an answer has at most 16,000. */
const MAX_FOLDER_CHARACTERS = 3_500;
const MAX_LIST_CHARACTERS = 1_800;
const MAX_NAME_CHARACTERS = 120;
const MAX_HUBS = 10;
const MAX_NEWEST = 10;
const MAX_WANTED = 5;
const MAX_WARNING_CHARACTERS = 300;
const MAX_WARNINGS_CHARACTERS = 1_200;

interface PropertyCount {
  readonly name: string;
  /** Notes that have it. */
  readonly count: number;
}

/** Names beyond these are left out: they are keys of data, not properties that people chose. */
const MAX_NAMES = 3_000;
/** A key at the margin of the YAML. */
const KEY = /^(?:"([^"\n]{1,200})"|'([^'\n]{1,200})'|([\p{L}_][^:#\n]{0,200}))[ \t]{0,20}:(?=\s|$)/gmu;

/** Returns the whole vault at a glance; also the resource `roux://vault`. */
export const vaultOverview = defineOperation({
  name: 'vault_overview',
  toolset: 'vault',
  title: 'Vault overview',
  summary: 'Folders, tags, types and properties with counts, hubs, newest notes, what needs attention. Call it first.',
  effect: 'read',
  isIdempotent: true,
  early: () => 'part',
  input: z.object({}),
  async run({ vault }) {
    await vault.refresh('changed');
    const { graph, settings } = vault;
    const version = await vault.history.version();
    const { size, health } = await vault.derived(openCounts)();
    const projects = tasksOf(vault).projects();
    return {
      name: fileName(settings.root),
      version,
      notes: graph.listed({}).size,
      attachments: size.attachments,
      new_notes_go_to: newFilePlaces(settings.obsidian('app.json')).notes,
      ...listed('folders', countFolders(graph), MAX_FOLDER_CHARACTERS),
      ...listed(
        'types',
        graph.facets.types().map(({ type, count }) => ({ type: brief(type), count })),
        MAX_LIST_CHARACTERS,
      ),
      ...listed(
        'tags',
        graph.facets.tags().map(({ tag, count }) => ({ tag: brief(tag), count })),
        MAX_LIST_CHARACTERS,
      ),
      ...listed('properties', countProperties(graph), MAX_LIST_CHARACTERS),
      hubs: takeWhileFits(findHubs(graph), MAX_LIST_CHARACTERS),
      newest: takeWhileFits(listNewest(graph), MAX_LIST_CHARACTERS),
      attention: {
        ...health,
        wanted: graph.mostWanted(MAX_WANTED).map(({ linkpath, count }) => ({ link: brief(linkpath), count })),
      },
      ...(projects.length === 0
        ? {}
        : {
            tasks: {
              projects: projects.length,
              open: projects.reduce((sum, { counts }) => sum + counts.unresolved, 0),
              ready: projects.reduce((sum, { counts }) => sum + counts.actionable, 0),
            },
          }),
      warnings: takeWhileFits(
        vault.health.warnings().map((warning) => shorten(warning, MAX_WARNING_CHARACTERS)),
        MAX_WARNINGS_CHARACTERS,
      ),
    };
  },
});

function brief(name: string): string {
  return shorten(name, MAX_NAME_CHARACTERS);
}

/** Takes as many items as fit, and says how many do not. */
function listed<Name extends string, Item>(
  name: Name,
  items: readonly Item[],
  characters: number,
): Record<string, readonly Item[] | number> {
  const taken = takeWhileFits(items, characters);
  return { [name]: taken, ...(taken.length < items.length ? { [`${name}_omitted`]: items.length - taken.length } : {}) };
}

interface FolderCount {
  readonly path: string;
  /** In it and below. */
  readonly notes: number;
}

/** Counts the notes of folders, the outermost folders first and the fullest first among them. */
function countFolders(graph: GraphView): readonly FolderCount[] {
  const counts = new Map<string, number>();
  for (const { path } of graph.entries())
    for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  const depth = (path: string): number => path.split('/').length;
  return [...counts]
    .sort(([a, inA], [b, inB]) => depth(a) - depth(b) || inB - inA || compareText(a, b))
    .map(([path, notes]) => ({ path: brief(path), notes }));
}

/** Returns the notes with the most links to them. */
function findHubs(graph: GraphView): readonly { readonly id: string; readonly title: string; readonly links: number }[] {
  const hubs = graph.walk.hubs({ metric: 'in_degree', limit: MAX_HUBS });
  return hubs.filter(({ score }) => score > 0).map(({ entry: { id, title }, score }) => ({ id, title: brief(title), links: score }));
}

/** Returns the notes whose files changed last, whoever changed them. */
function listNewest(graph: GraphView): readonly { readonly id: string; readonly title: string; readonly modified: string }[] {
  return newestNotes(graph, MAX_NEWEST).map(({ id, title, stamp }) => ({
    id,
    title: brief(title),
    modified: isoTime(stamp.mtimeNs),
  }));
}

/** Counts the frontmatter keys of all notes, the most frequent first. Matches them in the YAML, which is cheaper than parsing every value. */
function countProperties(graph: GraphView): readonly PropertyCount[] {
  const counts = new Map<string, number>();
  for (const { yaml = '' } of graph.entries()) {
    for (const [, double, single, plain] of yaml.matchAll(KEY)) {
      const name = double ?? single ?? plain?.trim() ?? '';
      const count = counts.get(name);
      if (count !== undefined || counts.size < MAX_NAMES) counts.set(name, (count ?? 0) + 1);
    }
  }
  return [...counts]
    .map(([name, count]) => ({ name: shorten(name, MAX_NAME_CHARACTERS), count }))
    .sort((a, b) => b.count - a.count || compareText(a.name, b.name));
}
