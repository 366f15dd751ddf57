import { readEntityName } from './entity-name.ts';
import type { Findings } from './found-facts.ts';
import { readText } from './read-text.ts';

/** `Alice(user): …`, as messages are kept, or `user(Alice): …`, as queries are put together from them (S3-09, S3-15). */
const spoken = /^(?:([^\n]{0,256}?)(?<![ \t])[ \t]*\((?:user|assistant|system)\)|(?:user|assistant|system)\(([^\n]{0,256}?)\)):(?:[ \t]|$)/;

interface Message {
  /** Who says it; null where it is not said. */
  readonly speaker: string | null;
  readonly content: string;
}

/** Reads messages: who speaks is an entity, is what "I" means, and is whom relation lines are about. What stands before the first is text. */
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
