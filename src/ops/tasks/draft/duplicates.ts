import type { Task } from '../../../graph/tasks/task.ts';
import { sameValue } from '../../../note/frontmatter/property-value.ts';
import type { Properties } from '../../../note/note.ts';
import { foldKey } from '../../../note/path.ts';
import type { Vault } from '../../../vault/vault.ts';
import { summariesOf } from '../view/find-task.ts';

/** An existing task that a new one may duplicate. */
export interface Duplicate {
  readonly ref: string;
  readonly id: string;
  readonly summary: string;
}

/** A new task to check. */
export interface Newcomer {
  readonly ref: string;
  readonly summary: string;
  readonly properties: Properties;
  readonly parent: Task;
}

const MIN_SHARED_TERMS = 3;
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

/**
 * Finds tasks with the summary of a new one in any case, anywhere in its project, else open siblings that share three words with it or
 * have the same properties. They only cause a hint, never a refusal.
 */
export function findDuplicates(vault: Vault, newcomers: readonly Newcomer[]): readonly Duplicate[] {
  const found: Duplicate[] = [];
  const siblings = new Map<Task, Siblings>();
  for (const { ref, summary, properties, parent } of newcomers) {
    if (found.length >= MAX_LISTED) break;
    let known = siblings.get(parent);
    if (known === undefined) siblings.set(parent, (known = readSiblings(parent)));
    const same = summariesOf(vault)
      .get(foldKey(summary))
      ?.find(({ note }) => note.project === parent.note.project);
    const task = same ?? findMostSimilar(known, summary, properties);
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
    if (getDistinctiveProperties(child.note.properties) !== null) withProperties.push(child);
    for (const term of termsOf(child.note.summary)) {
      const known = byTerm.get(term);
      if (known === undefined) byTerm.set(term, [child]);
      else known.push(child);
    }
  }
  return { byTerm, withProperties };
}

function findMostSimilar({ byTerm, withProperties }: Siblings, summary: string, properties: Properties): Task | null {
  const shared = new Map<Task, number>();
  let best: Task | null = null;
  for (const term of termsOf(summary)) {
    for (const task of byTerm.get(term) ?? []) {
      const count = (shared.get(task) ?? 0) + 1;
      shared.set(task, count);
      if (count >= MIN_SHARED_TERMS && (best === null || count > (shared.get(best) ?? 0))) best = task;
    }
  }
  const distinctive = getDistinctiveProperties(properties);
  if (best !== null || distinctive === null) return best;
  return withProperties.find((task) => sameValue(getDistinctiveProperties(task.note.properties) ?? undefined, distinctive)) ?? null;
}

/** Returns the properties that distinguish a task, or null: priority and claims are shared by many. */
function getDistinctiveProperties(properties: Properties): Properties | null {
  const distinctive = Object.entries(properties).filter(([key]) => key !== 'priority' && !key.startsWith('_'));
  return distinctive.length === 0 ? null : Object.fromEntries(distinctive);
}

function termsOf(text: string): ReadonlySet<string> {
  const words =
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => word.length > 2 && !FILLERS.has(word)));
}
