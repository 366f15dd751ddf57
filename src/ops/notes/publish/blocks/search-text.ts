import { LIVE_LANGUAGES } from '../../../../render/syntax/live-blocks.ts';
import { QUERY_LANGUAGES } from '../../../../render/syntax/queries.ts';

const FENCE = /^[ \t>]{0,40}(`{3,}|~{3,})[ \t]*(\w*)/;
const HIDDEN: ReadonlySet<string> = new Set([...LIVE_LANGUAGES, ...QUERY_LANGUAGES]);

/** Returns the text of a note without the source of bases and queries, so that a search does not find itself. */
export function searchText(text: string): string {
  const shown: string[] = [];
  let [open, isHidden] = ['', false];
  for (const line of text.split('\n')) {
    const [, mark = '', language = ''] = FENCE.exec(line) ?? [];
    if (open === '') isHidden = HIDDEN.has(language.toLowerCase());
    if (!isHidden) shown.push(line);
    if (open === '') open = mark;
    else if (mark.startsWith(open) && language === '') open = '';
  }
  return shown.join('\n');
}
