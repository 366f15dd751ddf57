import type { PdfText } from './worker/pdf-thread.ts';

/** Why a file has no text. `command`: the command for pictures failed. */
export type TextFailure = Extract<PdfText, { kind: 'failed' }>['why'] | 'too large' | 'unreadable' | 'command';

/** The same for people, as what a file does. */
export const TEXT_FAILURES: Readonly<Record<TextFailure, string>> = {
  encrypted: 'needs a password',
  broken: 'is damaged',
  slow: 'took too long',
  memory: 'needed too much memory',
  crashed: 'ended its reader',
  'too large': 'is too large',
  unreadable: 'could not be read',
  command: 'could not be read by the command for pictures',
};
