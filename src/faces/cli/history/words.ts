import { shorten } from '../../../ops/shorten.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { NOT_WRITTEN_HERE } from '../show.ts';
import type { Painter } from '../terminal.ts';

const MAX_AGENT_CHARACTERS = 200;
/** Characters of the name and of a value of a field; --json prints all of it. */
const MAX_VALUE_CHARACTERS = 80;

interface ShownEvent {
  readonly timestamp: string;
  readonly action: string;
  readonly agent: string;
  readonly foreign?: boolean;
}

/** What people call the actions of the history that have another name there. */
const ACTIONS: Readonly<Record<string, string>> = { updated: 'edited', external: 'edited', connected: 'linked', disconnected: 'unlinked' };

/** Returns an action of the history in one word. */
export function describeAction(action: string): string {
  return ACTIONS[action] ?? action;
}

/** Returns who made a change, as a person would say it. */
export function describeAgent(agent: string): string {
  if (agent === 'cli') return 'you, in a terminal';
  if (agent === 'external') return 'an editor or another program';
  return agent === '' ? 'nobody known' : shorten(agent, MAX_AGENT_CHARACTERS);
}

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** Formats an ISO 8601 time as the local date and minute; an invalid one stays as it is. */
export function formatTime(timestamp: string): string {
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? timestamp : TIME.format(time);
}

/** Formats when who did what in one line. `rest` ends it; it is safe for a terminal. */
export function formatEvent({ timestamp, action, agent, foreign }: ShownEvent, rest: string, paint: Painter): string {
  const what = `${describeAction(action)} by ${describeAgent(agent)}`;
  const mark = foreign === true ? paint.yellow(`  ${NOT_WRITTEN_HERE}`) : '';
  return `${paint.bold(formatTime(timestamp))}  ${visibleLine(what)}${rest}${mark}`;
}

/** Formats the name of a field, or its value as a history has it. */
export function formatField(value: unknown): string {
  if (value === null) return 'nothing';
  return shorten(visibleLine(typeof value === 'string' && value !== '' ? value : (JSON.stringify(value) ?? '')), MAX_VALUE_CHARACTERS);
}
