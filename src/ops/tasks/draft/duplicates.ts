import type { Task } from '../../../graph/tasks/task.ts';
import { sameValue } from '../../../note/frontmatter/property-value.ts';
import type { Properties } from '../../../note/note.ts';

/** A task that exists and may be what a new one is about. */
export interface Duplicate {
  readonly ref: string;
  readonly id: string;
  readonly summary: string;
}

/** A new node, as far as likeness is concerned. */
export interface Newcomer {
  readonly ref: string;
  readonly summary: string;
  readonly properties: Properties;
  readonly parent: Task;
}

const SHARED_TERMS = 3;
const MAX_LISTED = 5;
const FILLERS: ReadonlySet<string> = new Set([
  'the',
  'and',
  'for',
  'with',
  'from',
  'into',
  'that',
  'this',
  'add',
  'all',
  'are',
  'not',
  'use',
]);

/** Open siblings that share three words with a new node, or have the same properties. A remark, never a reason to refuse. */
export function findDuplicates(newcomers: readonly Newcomer[]): readonly Duplicate[] {
  const found: Duplicate[] = [];
  const siblings = new Map<Task, Siblings>();
  for (const { ref, summary, properties, parent } of newcomers) {
    if (found.length >= MAX_LISTED) break;
    let known = siblings.get(parent);
    if (known === undefined) siblings.set(parent, (known = readSiblings(parent)));
    const task = likest(known, summary, properties);
    if (task !== null) found.push({ ref, id: task.note.id, summary: task.note.summary });
  }
  return found;
}

interface Siblings {
  readonly byTerm: ReadonlyMap<string, readonly Task[]>;
  readonly withProperties: readonly Task[];
}

function readSiblings(parent: Task): Siblings {
  const byTerm = new Map<string, Task[]>();
  const withProperties: Task[] = [];
  for (const child of parent.children) {
    if (child.note.isResolved) continue;
    if (tellingOf(child.note.properties) !== null) withProperties.push(child);
    for (const term of termsOf(child.note.summary)) {
      const known = byTerm.get(term);
      if (known === undefined) byTerm.set(term, [child]);
      else known.push(child);
    }
  }
  return { byTerm, withProperties };
}

function likest({ byTerm, withProperties }: Siblings, summary: string, properties: Properties): Task | null {
  const shared = new Map<Task, number>();
  let best: Task | null = null;
  for (const term of termsOf(summary)) {
    for (const task of byTerm.get(term) ?? []) {
      const count = (shared.get(task) ?? 0) + 1;
      shared.set(task, count);
      if (count >= SHARED_TERMS && (best === null || count > (shared.get(best) ?? 0))) best = task;
    }
  }
  const telling = tellingOf(properties);
  if (best !== null || telling === null) return best;
  return withProperties.find((task) => sameValue(tellingOf(task.note.properties) ?? undefined, telling)) ?? null;
}

/** The properties that say what a task is about: a priority or a claim is shared by many. Null when there are none. */
function tellingOf(properties: Properties): Properties | null {
  const kept = Object.entries(properties).filter(([key]) => key !== 'priority' && !key.startsWith('_'));
  return kept.length === 0 ? null : Object.fromEntries(kept);
}

function termsOf(text: string): ReadonlySet<string> {
  const words =
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => word.length > 2 && !FILLERS.has(word)));
}
