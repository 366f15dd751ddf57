import { readEntityName } from './entity-name.ts';
import type { Findings } from './found-facts.ts';
import { readText } from './read-text.ts';

/** `Alice(user): …`, the stored form of messages, or `user(Alice): …`, their form in queries (S3-09, S3-15). */
const spoken = /^(?:([^\n]{0,256}?)(?<![ \t])[ \t]*\((user|assistant|system)\)|(user|assistant|system)\(([^\n]{0,256}?)\)):(?:[ \t]|$)/;

interface Message {
  /** The name of the speaker; null if there is none. */
  readonly speaker: string | null;
  /** `user`, `assistant` or `system`; null for text before the first message. */
  readonly role: string | null;
  readonly content: string;
}

/** Finds facts in messages. A speaker is an entity, the meaning of "I", and the subject of relation lines. */
export function readMessages(body: string, owner: string | null, findings: Findings): void {
  for (const { speaker, content } of messagesOf(body)) {
    if (speaker !== null) findings.entity({ name: speaker });
    readText(content, { owner: speaker ?? owner, speaker }, findings);
  }
}

/** Divides an episode into the messages that it holds; text before the first one has no speaker. */
export function messagesOf(body: string): readonly Message[] {
  const messages: { speaker: string | null; role: string | null; lines: string[] }[] = [{ speaker: null, role: null, lines: [] }];
  for (const line of body.split(/\r\n|[\r\n]/)) {
    const head = spoken.exec(line.slice(0, 300));
    const [whole = '', before, roleAfter, roleBefore, inside] = head ?? [];
    const role = roleAfter ?? roleBefore ?? null;
    if (head !== null) messages.push({ speaker: readEntityName(before ?? inside ?? ''), role, lines: [line.slice(whole.length)] });
    else messages.at(-1)?.lines.push(line);
  }
  return messages.map(({ speaker, role, lines }) => ({ speaker, role, content: lines.join('\n') }));
}
