import { shorten } from '../../../ops/shorten.ts';

const MAX_AGENT_CHARACTERS = 200;

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
