import { find, ok } from '../../contract/knowledge/kg.ts';
import type { Json } from '../../contract/knowledge/kg.ts';
import type { McpSession } from '../program/mcp-client.ts';
import type { Conversation } from './turns-set.ts';

/** For each question, the share of its evidence that is among the first ten and the first twenty facts. */
export interface TurnsRecall {
  readonly in10: readonly number[];
  readonly in20: readonly number[];
}

const MESSAGES_PER_CALL = 100;

/** Tells a conversation turn by turn to the knowledge graph, and asks its questions. */
export async function recallTurns(session: Pick<McpSession, 'call'>, { name, turns, questions }: Conversation): Promise<TurnsRecall> {
  for (let at = 0; at < turns.length; at += MESSAGES_PER_CALL) {
    const messages = turns
      .slice(at, at + MESSAGES_PER_CALL)
      .map(({ uuid, speaker, text, at: timestamp }) => ({ uuid, role_type: 'user', role: speaker, content: text, timestamp }));
    await ok(session, 'add_messages', { group_id: name, messages });
  }
  const in10: number[] = [];
  const in20: number[] = [];
  for (const { query, answers } of questions) {
    const facts = await find(session, name, query, { max_facts: 20 });
    const shareIn = (count: number): number => {
      const found = new Set(facts.slice(0, count).flatMap((fact: Json) => fact.episodes));
      return answers.filter((uuid) => found.has(uuid)).length / answers.length;
    };
    in10.push(shareIn(10));
    in20.push(shareIn(20));
  }
  return { in10, in20 };
}

export function mean(all: readonly number[]): number {
  return all.reduce((sum, each) => sum + each, 0) / all.length;
}
