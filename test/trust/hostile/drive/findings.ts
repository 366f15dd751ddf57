import { lookAt, findChanges } from '../outside.ts';
import type { Look } from '../outside.ts';
import type { Ground } from '../ground.ts';
import { judgeText } from '../judge.ts';
import { limitMs } from './programs.ts';

/** Gathers what is wrong, call by call. */
export interface Findings {
  readonly list: readonly Finding[];
  readonly calls: number;
  /** The call that took longest, in words. */
  readonly slowest: string;
  /** Judges what a call gave, and looks whether the outside is as it was. */
  judge(call: string, answer: { readonly text: string; readonly isTerminal: boolean; readonly milliseconds: number }): void;
  add(call: string, what: string): void;
}

/** One thing that is wrong. */
export interface Finding {
  readonly call: string;
  readonly what: string;
}

/** Findings about one vault; the outside is as it is now. */
export function openFindings(ground: Ground): Findings {
  const list: Finding[] = [];
  let before: Look = lookAt(ground.outside, { isDeep: true });
  let shallow: Look = lookAt(ground.outside, { isDeep: false });
  let calls = 0;
  let slowest = { call: 'none', milliseconds: 0 };
  const add = (call: string, what: string): void => void list.push({ call, what });
  return {
    list,
    get calls() {
      return calls;
    },
    get slowest() {
      return `${Math.round(slowest.milliseconds)} ms for ${slowest.call.slice(0, 100)}`;
    },
    add,
    judge(call, { text, isTerminal, milliseconds }) {
      calls += 1;
      if (milliseconds > slowest.milliseconds) slowest = { call, milliseconds };
      for (const fault of judgeText(ground, text, { isTerminal })) add(call, fault);
      if (milliseconds > limitMs()) add(call, `took ${Math.round(milliseconds)} ms`);
      const changes = findChanges(shallow, lookAt(ground.outside, { isDeep: false }));
      if (changes.length === 0) return;
      const now = lookAt(ground.outside, { isDeep: true });
      add(call, `outside: ${findChanges(before, now).join('; ')}`);
      // Each is told once.
      before = now;
      shallow = lookAt(ground.outside, { isDeep: false });
    },
  };
}
