import type { Painter } from '../../terminal.ts';

/** Text with one style. */
export interface Piece {
  readonly text: string;
  readonly style: keyof Painter | 'plain';
}

/**
 * Inline Markdown: code, escapes, wikilinks and embeds, links and images, bold, highlighted, struck and emphasized text. No alternative may
 * contain its own delimiter, so that matching takes linear time.
 */
const INLINE =
  /`(?<code>[^`]+)`|\\(?<escaped>[!-/:-@[-`{-~])|(?<embed>!?)\[\[(?<link>[^[\]|]*)(?:\|(?<label>[^[\]]*))?\]\]|!?\[(?<text>[^[\]]*)\]\((?<url>[^()\s]*)\)|\*\*(?<bold>[^*\s][^*]*)\*\*|(?<!\w)__(?<strong>[^_\s][^_]*)__(?!\w)|==(?<marked>[^=\s][^=]*)==|~~(?<struck>[^~\s][^~]*)~~|\*(?<emphasis>[^*\s][^*]*)\*|(?<!\w)_(?<slanted>[^_\s][^_]*)_(?!\w)/gu;

/** Parses the inline Markdown of a line, with links inside bold and other text. Anything else is returned as plain text. */
export function readInline(line: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of line.matchAll(INLINE)) {
    if (match.index > from) pieces.push({ text: line.slice(from, match.index), style: 'plain' });
    pieces.push(...toPieces(match.groups ?? {}));
    from = match.index + match[0].length;
  }
  if (from < line.length) pieces.push({ text: line.slice(from), style: 'plain' });
  return pieces;
}

function toPieces(found: Readonly<Record<string, string | undefined>>): readonly Piece[] {
  const { code, escaped, embed, link, label, text, url } = found;
  if (code !== undefined) return [{ text: code, style: 'yellow' }];
  if (escaped !== undefined) return [{ text: escaped, style: 'plain' }];
  if (link !== undefined) return [{ text: `${embed === '!' ? '↪ ' : ''}${label ?? link}`, style: 'cyan' }];
  if (text !== undefined) return text === '' ? [{ text: url ?? '', style: 'cyan' }] : [{ text, style: 'cyan' }, ...showUrl(url ?? '')];
  const bold = found['bold'] ?? found['strong'];
  if (bold !== undefined) return readInside(bold, 'bold');
  if (found['marked'] !== undefined) return readInside(found['marked'], 'inverse');
  if (found['struck'] !== undefined) return readInside(found['struck'], 'dim');
  return readInside(found['emphasis'] ?? found['slanted'] ?? '', 'italic');
}

/** Parses the text between two delimiters. It does not contain them, so recursion ends. */
function readInside(text: string, style: Piece['style']): readonly Piece[] {
  return readInline(text).map((piece) => (piece.style === 'plain' ? { ...piece, style } : piece));
}

function showUrl(url: string): readonly Piece[] {
  return url === '' ? [] : [{ text: ` (${url})`, style: 'dim' }];
}
