import { readEntityName } from './entity-name.ts';
import type { Findings } from './found-facts.ts';
import { readText } from './read-text.ts';

/** `Alice(user): …`, the stored form of messages, or `user(Alice): …`, their form in queries (S3-09, S3-15). */
const spoken = /^(?:([^\n]{0,256}?)(?<![ \t])[ \t]*\((?:user|assistant|system)\)|(?:user|assistant|system)\(([^\n]{0,256}?)\)):(?:[ \t]|$)/;

interface Message {
  /** The name of the speaker; null if there is none. */
  readonly speaker: string | null;
  readonly content: string;
}

/** Finds facts in messages. A speaker is an entity, the meaning of "I", and the subject of relation lines. */
export function readMessages(body: string, owner: string | null, findings: Findings): void {
  for (const { speaker, content } of messagesOf(body)) {
    if (speaker !== null) findings.entity({ name: speaker });
    readText(content, { owner: speaker ?? owner, speaker }, findings);
  }
}

function messagesOf(body: string): readonly Message[] {
  const messages: { speaker: string | null; lines: string[] }[] = [{ speaker: null, lines: [] }];
  for (const line of body.split(/\r\n|[\r\n]/)) {
    const head = spoken.exec(line.slice(0, 300));
    const name = head === null ? '' : (head[1] ?? head[2] ?? '');
    if (head !== null) messages.push({ speaker: readEntityName(name), lines: [line.slice(head[0].length)] });
    else messages.at(-1)?.lines.push(line);
  }
  return messages.map(({ speaker, lines }) => ({ speaker, content: lines.join('\n') }));
}
