import { linkKey } from '../../src/note/path.ts';
import type { Graph } from '../../src/graph/graph.ts';
import type { GraphView, NoteEntry } from '../../src/graph/view.ts';

/** An entry with all its values read, to compare. */
export function plainEntry(entry: NoteEntry): Record<string, unknown> {
  const { path, id, title, aliases, tags, type, headings, blocks, properties, problems, stamp, hash, isHidden } = entry;
  return { path, id, title, aliases, tags, type, headings, blocks, properties, problems, stamp, hash, isHidden };
}

/** What to ask a graph beside what it says of its own files. */
export interface Questions {
  readonly linkpaths: readonly string[];
  readonly references: readonly string[];
  readonly tags: readonly string[];
  readonly types: readonly string[];
  readonly properties: readonly string[];
}

/** The answers to every query of a graph, as plain values. */
export function describeGraph(graph: GraphView, questions: Questions): Record<string, unknown> {
  const entries = [...graph.entries({ includeHidden: true })];
  const paths = entries.map((entry) => entry.path);
  const files = [...paths, ...graph.attachments()];
  const pathsOf = (found: readonly NoteEntry[]): readonly string[] => found.map((entry) => entry.path);
  const each = <Answer>(keys: readonly string[], ask: (key: string) => Answer): Record<string, Answer> =>
    Object.fromEntries(keys.map((key) => [key, ask(key)]));
  const hubs = (metric: 'in_degree' | 'out_degree', limit: number): readonly unknown[] =>
    graph.walk.hubs({ metric, limit }).map(({ entry, score }) => [entry.path, score]);
  const neighbors = (direction: 'in' | 'out' | 'both') =>
    each(paths, (path) => graph.walk.neighbors(path, direction).map((neighbor) => [neighbor.entry.path, neighbor.direction]));
  return {
    size: graph.size,
    entries: entries.map(plainEntry),
    visible: pathsOf([...graph.entries()]),
    under: pathsOf([...graph.entries({ under: 'a' })]),
    attachments: [...graph.attachments()],
    isAttachment: each(files, (path) => graph.isAttachment(path)),
    links: each(files, (path) => graph.links(path)),
    backlinks: each(files, (path) => graph.backlinks(path)),
    linksByKey: each([...files, ...questions.linkpaths], (path) => graph.linksByKey(path)),
    byKey: each([...files, ...questions.linkpaths], (path) => graph.byKey(linkKey(path)).toSorted()),
    unresolved: graph.unresolved(),
    ambiguous: graph.ambiguous(),
    orphans: pathsOf(graph.walk.orphans()),
    deadEnds: pathsOf(graph.walk.deadEnds()),
    tags: graph.facets.tags(),
    byTag: each(questions.tags, (tag) => pathsOf(graph.facets.byTag(tag))),
    types: graph.facets.types(),
    byType: each(questions.types, (type) => pathsOf(graph.facets.byType(type))),
    propertyOf: questions.properties.map((key) => entries.map((entry) => graph.facets.propertyOf(entry, key))),
    out: neighbors('out'),
    in: neighbors('in'),
    both: neighbors('both'),
    degree: each(paths, (path) => graph.walk.degree(path)),
    listed: [...['', 'a', 'a/b'].map((under) => ({ under })), ...questions.tags.flatMap((tag) => [{ tag }, { tag, under: 'a' }])].map(
      (query) => {
        const all = graph.listed(query);
        return [all.size, all.slice(0, 2).map(({ path }) => path), all.slice(1, 9).map(({ path }) => path)];
      },
    ),
    mostWanted: graph.mostWanted(3),
    hubs: [hubs('in_degree', 3), hubs('out_degree', 3), hubs('in_degree', 50), hubs('out_degree', 1)],
    ways: each(paths, (source) =>
      each(paths, (target) => [
        graph.walk.findPath({ source, target, direction: 'out' }),
        graph.walk.findPath({ source, target, direction: 'both' }),
      ]),
    ),
    resolve: each(questions.linkpaths, (linkpath) => each(files, (from) => graph.resolve({ linkpath, from }))),
    lookup: each([...questions.references, ...paths], (reference) => describeLookup(graph, reference)),
  };
}

function describeLookup(graph: GraphView, reference: string): readonly string[] {
  const found = graph.lookup(reference);
  if (found.kind === 'missing') return [];
  return found.kind === 'found' ? [found.entry.path] : found.candidates.map((entry) => entry.path);
}

/** The graph's notes as its own change events tell them, to hold against the graph. */
export function followChanges(graph: Graph): Map<string, unknown> {
  const followed = new Map<string, unknown>(
    ([...graph.entries({ includeHidden: true })] as NoteEntry[]).map((entry) => [entry.path, plainEntry(entry)]),
  );
  graph.onChange((changes) => {
    // All that left first: two notes can change places in one batch.
    for (const { before } of changes) if (before !== null) followed.delete(before.path);
    for (const { after } of changes) if (after !== null) followed.set(after.path, plainEntry(after));
  });
  return followed;
}
