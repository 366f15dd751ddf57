import { decodeText, encodeText, readsBack } from './entry-text.ts';

/** Encodes an observation as the text of a list item. What would not read back identically, and any JSON object, becomes inline code. */
export function encodeObservation(text: string): string {
  return encodeText(text, (form) => !isJsonObject(form) && readsBack(form));
}

/** Decodes the observation in a list item's text. */
export function decodeObservation(item: string): string {
  return decodeText(item);
}

function isJsonObject(text: string): boolean {
  if (!text.startsWith('{') || !text.endsWith('}')) return false;
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}
