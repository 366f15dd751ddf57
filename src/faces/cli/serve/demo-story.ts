import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { isRecord } from '../../../is-record.ts';
import type { Agent } from './demo-agents.ts';
import { demoPath } from './demo-vault.ts';

type Values = Readonly<Record<string, unknown>>;

/** One action of an agent: calls of tools, and what was done as a sentence without its subject, the agent's name. */
interface Step {
  readonly who: 'ada' | 'max';
  readonly says: string;
  /** Arguments by tool. */
  readonly calls: Readonly<Record<string, Values>>;
}

/** Reads the steps that the package ships. */
export function readStory(): readonly Step[] {
  return parse(readFileSync(demoPath('demo-story.yaml'), 'utf8')) as readonly Step[];
}

/** Performs a step and returns its sentence. Adds the ids of tasks that it planned to `ids`. */
export async function playStep({ says, calls }: Step, agent: Agent, ids: Record<string, unknown>): Promise<string> {
  let answer: Values = {};
  for (const [tool, args] of Object.entries(calls)) {
    answer = await agent.call(tool, fill(args, { ...answer, ids }) as Values);
    const created = Array.isArray(answer['created']) ? (answer['created'] as readonly unknown[]) : [];
    for (const task of created) if (isRecord(task)) ids[String(task['ref'])] = task['id'];
  }
  return fill(says, answer) as string;
}

/** Replaces `{path}` in every text of a value by what is there in an answer. */
function fill(value: unknown, answer: Values): unknown {
  if (typeof value === 'string') return value.replaceAll(/\{([\w.]+)\}/g, (_, path: string) => textAt(answer, path));
  if (Array.isArray(value)) return value.map((each) => fill(each, answer));
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fill(each, answer)])) : value;
}

/** Returns the text at a path of keys in an answer; a key that is no index asks every member of a list. Throws if there is none. */
function textAt(answer: Values, path: string): string {
  const texts = valuesAt(answer, path.split('.')).filter((value) => typeof value === 'string' || typeof value === 'number');
  if (texts.length === 0) throw new Error(`the server answered without ${path}: ${JSON.stringify(answer)}`);
  return texts.join(', ');
}

function valuesAt(value: unknown, [key, ...rest]: readonly string[]): readonly unknown[] {
  if (key === undefined) return [value];
  if (Array.isArray(value) && !/^\d+$/.test(key)) return value.flatMap((each) => valuesAt(each, [key, ...rest]));
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? valuesAt((value as Values)[key], rest) : [];
}
