import type { GraphView, NoteEntry } from './view.ts';

/** Returns the paths, sorted, on which two graphs differ in content or link targets. */
export function compareGraphs(one: GraphView, other: GraphView): readonly string[] {
  const different = new Set<string>();
  for (const [a, b] of [
    [one, other],
    [other, one],
  ] as const) {
    for (const entry of a.entries({ includeHidden: true })) {
      const twin = b.get(entry.path);
      if (twin === null || !isSameNote(entry, twin) || linksOf(a, entry) !== linksOf(b, entry)) different.add(entry.path);
    }
    for (const path of a.attachments()) if (!b.isAttachment(path)) different.add(path);
  }
  return [...different].sort();
}

/** Equal bytes give equal notes; the rest could be stale. */
function isSameNote(a: NoteEntry, b: NoteEntry): boolean {
  return a.hash === b.hash && a.isHidden === b.isHidden && describe(a) === describe(b);
}

function describe({ id, title, type, aliases, tags, headings, blocks, problems }: NoteEntry): string {
  return JSON.stringify([id, title, type, aliases, tags, headings, blocks, problems]);
}

function linksOf(graph: GraphView, { path }: NoteEntry): string {
  return JSON.stringify(graph.links(path));
}
