import { hashText, toBody, toTitle, toLine } from './issue.ts';
import type { Issue } from './issue.ts';
import type { SyncState } from './sync-state.ts';

/** The fields that both sides may change. */
export const SHARED_FIELDS = ['title', 'body', 'state'] as const;
export type SharedField = (typeof SHARED_FIELDS)[number];

/** Which side changed a field since both agreed: none, only GitHub, only the task, or both, to different values. */
export type Verdict = 'same' | 'theirs' | 'ours' | 'conflict';

/** The shared fields as `SyncState` has them; null for a text that this side does not hold. */
type Fields = Readonly<Record<SharedField, string | null>>;

/** A task as far as an issue has the same. */
export interface TaskFields {
  readonly summary: string;
  /** The text of the issue in the note; null if the note does not have it. */
  readonly issueText: string | null;
  readonly isResolved: boolean;
}

export function fieldsOfTask({ summary, issueText, isResolved }: TaskFields): Fields {
  return {
    title: hashText(toLine(summary, Infinity)),
    body: issueText === null ? null : hashText(toBody(issueText) ?? issueText),
    state: isResolved ? 'closed' : 'open',
  };
}

export function fieldsOfIssue(issue: Issue): Fields {
  const body = toBody(issue.body);
  return { title: hashText(toTitle(issue)), body: body === null ? null : hashText(body), state: issue.is_open ? 'open' : 'closed' };
}

/** Compares a field of a task and its issue with what both were at the last sync. */
export function compareField(field: SharedField, base: Partial<SyncState>, task: Fields, issue: Fields): Verdict {
  const [was, ours, theirs] = [base[field], task[field], issue[field]];
  if (ours === theirs || theirs === null) return 'same';
  // Where the note does not hold the text, nothing can have been changed in it.
  if (ours === null) return theirs === was || (was === undefined && theirs === EMPTY) ? 'same' : 'theirs';
  if (was === undefined) return 'conflict';
  if (theirs === was) return 'ours';
  return ours === was ? 'theirs' : 'conflict';
}

const EMPTY = hashText('');
