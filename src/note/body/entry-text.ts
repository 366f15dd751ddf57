import { readBodySection } from './section.ts';

/** Starts of a nested list, heading, quote, fence, HTML, table, rule, task or footnote within the entry. */
const opensBlock = /^(?:[-*+](?:\s|$)|\d{1,9}[.)](?:\s|$)|#{1,6}(?:\s|$)|>|`{3}|~{3}|<|\||\[[^\]]*\]:|\[.\]\s|(?:[-*_=]\s*)+$|\$\$)|<!--/;

/**
 * Encodes any text on one line so that `decodeText` restores it: as it is, as inline code, as inline code with a JSON string, or that with
 * escaped brackets, whichever `fits` first.
 */
export function encodeText(text: string, fits: (written: string) => boolean): string {
  const json = JSON.stringify(text).replace(/[\u2028\u2029]/g, escapeCode);
  const last = inlineCode(json.replace(/[[\]]/g, escapeCode));
  const forms = [text, inlineCode(text), inlineCode(json)];
  return forms.find((form) => !/[^\P{Cc}\t]|[\u2028\u2029]/u.test(form) && decodeText(form) === text && fits(form)) ?? last;
}

function escapeCode(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Decodes the result of `encodeText`. Text that is not entirely inline code is returned as it is. */
export function decodeText(written: string): string {
  // `encodeText` writes one line; multi-line code is a person's.
  if (/[\r\n]/.test(written)) return written;
  const code = codeContent(written);
  if (code === null) return written;
  if (!code.startsWith('"')) return code;
  try {
    const value: unknown = JSON.parse(code);
    return typeof value === 'string' ? value : code;
  } catch {
    return code;
  }
}

/** Formats a text as inline code: with a fence longer than any run of backticks in it, padded where the content would be trimmed. */
function inlineCode(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(1 + Math.max(0, ...runs.map((run) => run.length)));
  const isPadded = /^`|`$|^ .* $/.test(text);
  return isPadded ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}

/** Returns the content of a text that is entirely inline code; null for others. */
function codeContent(text: string): string | null {
  const fence = /^`+/.exec(text)?.[0];
  if (fence === undefined || text.length < 2 * fence.length + 1 || !text.endsWith(fence)) return null;
  const content = text.slice(fence.length, -fence.length);
  // Backticks of the fence's length inside would end the code earlier.
  if ((content.match(/`+/g) ?? []).some((run) => run.length === fence.length) || content.endsWith('`')) return null;
  const isPadded = content.startsWith(' ') && content.endsWith(' ') && /[^ ]/.test(content);
  return isPadded ? content.slice(1, -1) : content;
}

/** Returns whether a text, written as an entry between two others, is parsed as exactly this entry and opens no other block. */
export function readsBack(text: string): boolean {
  if (text === '' || text !== text.trim() || /[^\P{Cc}\t]/u.test(text) || opensBlock.test(text) || opensComment(text)) return false;
  const lines = readBodySection(`## Observations\n\n- x\n- ${text}\n- y\n`, 'Observations')?.entries.map((entry) => entry.line);
  return lines?.length === 3 && lines[1] === text;
}

/** Returns whether a text has an unclosed `%%` outside code, which makes the rest of the note a comment in Obsidian. */
function opensComment(text: string): boolean {
  return text.includes('%%') && text.replace(/(?<!`)(`+)(?!`)[^`]+\1(?!`)/g, '').split('%%').length % 2 === 0;
}
