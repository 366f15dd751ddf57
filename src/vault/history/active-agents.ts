import { eventName } from '../../store/records/history-event.ts';
import type { HistoryEvent } from '../../store/records/history-event.ts';
import type { Segments } from '../../store/records/segments.ts';
import { eventsAfter, groupWrites, isForeign, lastSeqOf } from './events.ts';
import type { EventFilter } from './events.ts';

/** How often an agent wrote. */
export interface ActiveAgent {
  readonly agent: string;
  /** Writes that were made in this folder. */
  readonly writes: number;
  /** Writes that only foreign lines record. */
  readonly foreign: number;
  /** Time of the last of `writes`, or of `foreign` when there are none; ISO 8601. */
  readonly last: string;
}

/** The agents of the newest events, most writes first. `since` is the time of the oldest counted write, or null when all are counted. */
export interface ActiveAgents {
  readonly agents: readonly ActiveAgent[];
  readonly since: string | null;
}

/** Number of the newest events that are counted: own ones, and as many foreign ones, which cannot push own ones out. */
const MAX_COUNTED = 20_000;

/** Returns a function that counts the writes of the newest events, and then only new ones. */
export function createAgentCounter(history: Segments<HistoryEvent>, filter: EventFilter): () => Promise<ActiveAgents> {
  const agents = new Map<string, Omit<ActiveAgent, 'agent'>>();
  // By name, since the numbers of foreign lines say nothing.
  const seenForeign = new Set<string>();
  let [seen, since, isCut] = [-1, '', false];
  let counting: Promise<unknown> = Promise.resolve();
  const count = async (): Promise<ActiveAgents> => {
    const fresh: HistoryEvent[] = [];
    let own = 0;
    for await (const event of eventsAfter(history, seen)) {
      if (event.foreign === true) {
        if (seenForeign.size === MAX_COUNTED) continue;
        const name = eventName(event);
        if (seenForeign.has(name)) continue;
        seenForeign.add(name);
      } else if (own++ === MAX_COUNTED) {
        // More events than are counted came since the last call: the earlier counts are too old to keep.
        agents.clear();
        [since, isCut] = ['', true];
        break;
      }
      fresh.push(event);
    }
    for (const whole of groupWrites(fresh).toReversed()) {
      if (!isForeign(whole)) seen = Math.max(seen, lastSeqOf(whole));
      const events = filter(whole);
      if (events.length === 0) continue;
      const [{ agent, timestamp } = { agent: '', timestamp: '' }] = events;
      const known = agents.get(agent) ?? { writes: 0, foreign: 0, last: '' };
      const counted = isForeign(events)
        ? { ...known, foreign: known.foreign + 1, last: known.writes === 0 ? timestamp : known.last }
        : { ...known, writes: known.writes + 1, last: timestamp };
      agents.set(agent, counted);
      if (since === '') since = timestamp;
    }
    const list = [...agents].map(([agent, counts]) => ({ agent, ...counts }));
    return {
      agents: list.sort((a, b) => b.writes - a.writes || b.foreign - a.foreign || (a.agent < b.agent ? -1 : 1)),
      since: isCut ? since : null,
    };
  };
  return () => {
    // One after the other, so that no event is counted twice.
    const counted = counting.then(count);
    counting = counted.catch(() => undefined);
    return counted;
  };
}
