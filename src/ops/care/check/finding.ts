import type { Config } from '../../../config.ts';
import { shorten } from '../../shorten.ts';

export type CheckKind = Config['check']['fail'][number];

/** A part of a message: a text of ours, or a name that a note or a file gives and that may hold anything. */
export type MessagePart = string | { readonly name: string };

/** Something in a note that a person or an agent should look at. */
export interface CheckFinding {
  readonly kind: CheckKind;
  /** The note, as a path in the vault. */
  readonly path: string;
  /** 1-based; where the note itself is meant, that of the property that says so, else 1. */
  readonly line: number;
  /** A clause about the note. */
  readonly message: readonly MessagePart[];
}

const MAX_NAME_CHARACTERS = 200;

/** Makes a name part of a message. */
export function toName(text: string): MessagePart {
  return { name: shorten(text, MAX_NAME_CHARACTERS) };
}

/** Returns a message as plain text. */
export function toText(message: readonly MessagePart[]): string {
  return message.map((part) => (typeof part === 'string' ? part : part.name)).join('');
}
