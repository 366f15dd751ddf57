import { formatCallout } from '../text/callout.ts';
import type { Callout } from '../text/callout.ts';
import type { Tally } from '../imported.ts';
import { divideBranches } from './branches.ts';
import type { TreeNode } from './branches.ts';

/** A conversation as messages with what each says. */
export interface Transcript {
  readonly nodes: readonly TreeNode[];
  readonly current: string | null;
  /** Returns what is shown of a message; nothing for one that holds nothing. */
  readonly show: (id: string) => readonly Callout[];
}

/** Writes a conversation: what the user sees, and below it the versions that were replaced. */
export function formatTranscript({ nodes, current, show }: Transcript, tally: Tally): string {
  const { main, others } = divideBranches(nodes, current);
  const blocks: string[] = [];
  /** How many messages with content stand before each one. */
  const numbers = [0];
  for (const id of main) {
    const callouts = show(id);
    numbers.push((numbers.at(-1) ?? 0) + (callouts.length > 0 ? 1 : 0));
    blocks.push(...callouts.map(formatCallout));
  }
  const branches = others.map(({ after, ids }) => ({ after: numbers[after] ?? 0, callouts: ids.flatMap(show) }));
  const withContent = branches.filter(({ callouts }) => callouts.length > 0);
  if (withContent.length > 0) blocks.push('## Other versions');
  for (const [at, { after, callouts }] of withContent.entries()) {
    blocks.push(`### Version ${at + 1}, after message ${after}`, ...callouts.map(formatCallout));
    tally.count('other versions of messages below their conversations');
  }
  return blocks.length === 0 ? '' : `${blocks.join('\n\n')}\n`;
}

/** Returns the title of a callout: who, what with, and when (UTC). */
export function sayWho(who: string, { detail, at }: { readonly detail?: string | undefined; readonly at?: string | undefined }): string {
  return [who, detail, at === undefined ? undefined : `${at.slice(0, 16).replace('T', ' ')} UTC`]
    .filter((part) => part !== undefined && part !== '')
    .join(' · ');
}
