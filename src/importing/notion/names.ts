import { sourceFolder, sourceName } from '../source/source-path.ts';
import { cleanLine } from '../text/clean.ts';

/** The name of a file of Notion's: the title, and the id of the page. */
export const NOTION_NAME = /^(.*?) ?([0-9a-f]{32})(?:_all)?\.(?:md|csv)$/;
const ID_AT_END = / ?\b[0-9a-f]{32}$/;
/** Folders that are none of the user's: an export, and the parts of a workspace. */
const WRAPPER =
  /^(?:Export(?:Block)?-[0-9a-f-]{8,}(?:-Part-\d{1,4})?|[0-9a-f]{8}-[0-9a-f-]{27}|Private & Shared|Private|Shared|Teamspaces?)$/i;

/** Returns the id of a page or database; its path for a file without one. */
export function notionId(path: string): string {
  return NOTION_NAME.exec(sourceName(path))?.[2] ?? path;
}

/** Returns the title in the name of a file, which Notion cuts. */
export function titleInName(path: string): string {
  const name = sourceName(path);
  return cleanLine(NOTION_NAME.exec(name)?.[1] ?? name.replace(/\.(?:md|csv)$/i, ''), 'Untitled');
}

/** Returns the folder of a page as people call it: without ids, and without the folders around an export. */
export function notionFolder(path: string): string {
  const names = sourceFolder(path).split('/');
  const first = names.findIndex((name) => !WRAPPER.test(name));
  return names
    .slice(first === -1 ? names.length : first)
    .map((name) => name.replace(ID_AT_END, '').trim())
    .filter((name) => name !== '')
    .join('/');
}

/** Returns the id of a page that an address of Notion leads to; null for any other. */
export function idInAddress(address: string): string | null {
  const found = /^https:\/\/(?:www\.)?notion\.(?:so|site|com)\/(?:[^\s?#]*[-/])?([0-9a-f]{32})(?:[?#]|$)/.exec(address);
  return found?.[1] ?? null;
}
