import type { Task } from '../../../graph/tasks/task.ts';
import { compareText } from '../../../note/text.ts';
import { projectName, tasksOf } from '../../../vault/task-graph.ts';
import type { OperationContext, PrimeList } from '../../operation.ts';
import { shorten } from '../../shorten.ts';
import { openHandoff, toHandoff } from '../handoff/handoff.ts';
import { claimRules, holderOf, liveClaims } from './claims.ts';

const MAX_HANDOFFS = 6;
const MAX_CLAIMS = 12;
const MAX_READY = 12;
const MAX_SUMMARY_CHARACTERS = 120;
/** Of what is left, of pitfalls and decisions of one handoff. */
const MAX_PART_CHARACTERS = 100;
const MAX_LINES_OF_PART = 2;

/** Lists open handoffs, claims that count, and the tasks that are ready and nobody holds, of all projects. */
export function primeTasks(context: OperationContext): readonly PrimeList[] {
  const { vault } = context;
  const projects = tasksOf(vault).projects();
  const rules = claimRules(context);
  const titles = new Map(projects.map((project) => [project.name, projectName(vault.graph, project)]));
  const name = ({ note }: Task): string =>
    `${note.id} ${shorten(note.summary, MAX_SUMMARY_CHARACTERS)} (${titles.get(note.project) ?? note.project}`;
  const handoffs = projects
    .flatMap((project) => [...project.tasks].filter(({ note }) => !note.isResolved && openHandoff(note.properties) !== null))
    .toSorted((a, b) => compareText(handedOver(b), handedOver(a)));
  const claims = projects.flatMap((project) => liveClaims(project, rules));
  // The first of each project before the second of any, where priorities are equal.
  const ready = projects
    .flatMap((project) => firstReady(project.ranked(), (task) => holderOf(task, rules) === null).map((task, at) => ({ task, at })))
    .toSorted(
      (a, b) => b.task.note.priority - a.task.note.priority || a.at - b.at || compareText(b.task.note.updatedAt, a.task.note.updatedAt),
    )
    .map(({ task }) => task);
  const startable =
    projects.reduce((sum, project) => sum + project.counts.actionable, 0) - claims.filter(({ task }) => task.isActionable).length;
  return [
    list('handoffs', handoffs, MAX_HANDOFFS, (task) => `${name(task)})${describeHandoff(context, task)}`),
    list('held', claims, MAX_CLAIMS, ({ task, holder }) => `${name(task)}): held by ${holder}`),
    {
      ...list('ready', ready, MAX_READY, (task) => `${name(task)}${task.note.priority === 0 ? '' : `, priority ${task.note.priority}`})`),
      more: startable - Math.min(ready.length, MAX_READY),
    },
  ];
}

function list<T>(name: PrimeList['name'], found: readonly T[], limit: number, toLine: (each: T) => string): PrimeList {
  const lines = found.slice(0, limit).map(toLine);
  return { name, lines, more: found.length - lines.length };
}

function firstReady(ranked: Iterable<Task>, isFree: (task: Task) => boolean): readonly Task[] {
  const first: Task[] = [];
  for (const task of ranked) {
    if (isFree(task)) first.push(task);
    if (first.length === MAX_READY) break;
  }
  return first;
}

function handedOver({ note }: Task): string {
  return openHandoff(note.properties)?.at ?? '';
}

/** Says who handed a task over and when, and the first things that were left, decided or in the way. */
function describeHandoff(context: OperationContext, task: Task): string {
  const { handoff } = toHandoff(context, task);
  if (handoff === undefined) return '';
  const parts = (['left', 'pitfalls', 'decisions'] as const).flatMap((part) => {
    const texts = (handoff[part] ?? []).slice(0, MAX_LINES_OF_PART).map((text) => shorten(text, MAX_PART_CHARACTERS));
    return texts.length === 0 ? [] : [`${part}: ${texts.join('; ')}`];
  });
  return [` from ${handoff.from}, ${handoff.at.slice(0, 10)}`, ...parts].join('. ');
}
