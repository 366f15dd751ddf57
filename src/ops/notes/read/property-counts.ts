import type { GraphView } from '../../../graph/view.ts';
import { compareText } from '../../../note/text.ts';
import { shorten } from '../../shorten.ts';

export interface PropertyCount {
  readonly name: string;
  /** Notes that have it. */
  readonly count: number;
}

const MAX_NAME_CHARACTERS = 120;
/** Names beyond these are left out: they are keys of data, not properties that people chose. */
const MAX_NAMES = 3_000;
/** A key at the margin of the YAML. */
const KEY = /^(?:"([^"\n]{1,200})"|'([^'\n]{1,200})'|([\p{L}_][^:#\n]{0,200}))[ \t]{0,20}:(?=\s|$)/gmu;

/** Counts the frontmatter keys of all notes, the most frequent first. Matches them in the YAML, which is cheaper than parsing every value. */
export function countProperties(graph: GraphView): readonly PropertyCount[] {
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
