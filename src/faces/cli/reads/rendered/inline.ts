import type { Painter } from '../../terminal.ts';

/** Text with one style. */
export interface Piece {
  readonly text: string;
  readonly style: keyof Painter | 'plain';
}

/**
 * What stands inside of a line, each alternative without its own delimiter in what it holds, so that a line is read in linear time: code,
 * escapes, wikilinks and embeds, links and images, bold, marked, struck and emphasized text.
 */
const INLINE =
  /`(?<code>[^`]+)`|\\(?<escaped>[!-/:-@[-`{-~])|(?<embed>!?)\[\[(?<link>[^[\]|]*)(?:\|(?<label>[^[\]]*))?\]\]|!?\[(?<text>[^[\]]*)\]\((?<url>[^()\s]*)\)|\*\*(?<bold>[^*\s][^*]*)\*\*|(?<!\w)__(?<strong>[^_\s][^_]*)__(?!\w)|==(?<marked>[^=\s][^=]*)==|~~(?<struck>[^~\s][^~]*)~~|\*(?<emphasis>[^*\s][^*]*)\*|(?<!\w)_(?<slanted>[^_\s][^_]*)_(?!\w)/gu;

/** Reads the Markdown inside of a line, links inside of bold and other text too. What is not understood stays as it is written. */
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

/** Reads text inside of marks. It holds none of these marks itself, so that each level is shorter than the one around it. */
function readInside(text: string, style: Piece['style']): readonly Piece[] {
  return readInline(text).map((piece) => (piece.style === 'plain' ? { ...piece, style } : piece));
}

function showUrl(url: string): readonly Piece[] {
  return url === '' ? [] : [{ text: ` (${url})`, style: 'dim' }];
}
