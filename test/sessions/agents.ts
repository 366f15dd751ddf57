import { setTimeout } from 'node:timers/promises';
import type { Ledger } from './ledger.ts';
import { ownNoteWork } from './own-notes.ts';
import type { Random } from '../support/random.ts';
import type { KilledServer } from './servers.ts';
import { sharedNoteWork } from './shared-notes.ts';
import { graphWork } from './graph-work.ts';

/** What an agent works with. */
export interface AgentTools {
  readonly server: KilledServer;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly sharedNotes: readonly string[];
  readonly peopleNotes: readonly string[];
}

/** One agent that calls a tool, waits for the answer, and calls the next. */
export async function agentAtWork(tools: AgentTools & { readonly isOver: () => boolean }): Promise<void> {
  const { random, isOver } = tools;
  const own = ownNoteWork(tools);
  const shared = sharedNoteWork(tools);
  const graph = graphWork(tools);
  while (!isOver()) {
    await random.pick([own, own, shared, shared, graph])();
    await setTimeout(random.below(30));
  }
}
