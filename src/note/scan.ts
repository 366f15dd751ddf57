import { findFrontmatter } from './frontmatter.ts';
import type { BlockId, Heading, Link, TagUse } from './note.ts';
import { decodeDestination, readWikilink, wikilinkEnd } from './wikilink.ts';

/** What stands in the body of a note. */
export interface Scan {
  readonly links: readonly Link[];
  readonly tagUses: readonly TagUse[];
  readonly headings: readonly Heading[];
  readonly blocks: readonly BlockId[];
  /** False where only the authoritative reader can tell. */
  readonly isCertain: boolean;
  /** What the text has too much of to be read by the authoritative reader, or null. */
  readonly limit: 'too-nested' | 'too-large' | null;
}

/** Reads links, tags, headings and block ids in one pass. */
export function scan(text: string): Scan {
  const links: Link[] = [];
  const tagUses: TagUse[] = [];
  const headings: Heading[] = [];
  const blocks: BlockId[] = [];
  const from = findFrontmatter(text)?.block.end ?? (text.charCodeAt(0) === 0xfeff ? 1 : 0);
  let fence: string | null = null;
  const line = /[^\r\n]*(?:\r\n|\r|\n|$)/g;
  line.lastIndex = from;
  while (line.lastIndex < text.length) {
    const start = line.lastIndex;
    const match = line.exec(text);
    if (!match) break;
    const content = match[0].replace(/[\r\n]+$/, '');
    const mark = /^[ \t>]*(`{3,}|~{3,})/.exec(content)?.[1];
    if (fence !== null) {
      if (mark?.startsWith(fence)) fence = null;
      continue;
    }
    if (mark) {
      fence = mark;
      continue;
    }
    const end = start + content.length;
    const head = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/.exec(content);
    if (head?.[1]) headings.push({ level: head[1].length, text: (head[2] ?? '').replace(/(?:^|\s)\^[A-Za-z0-9-]+$/, ''), start, end });
    const block = /(?:^|\s)\^([A-Za-z0-9-]+)[ \t]*$/.exec(content);
    if (block?.[1]) {
      const at = start + block.index + block[0].indexOf('^');
      blocks.push({ id: block[1], start: at, end: at + block[1].length + 1 });
    }
    scanLine(text, start, end, links, tagUses);
  }
  return { links, tagUses, headings, blocks, isCertain: true, limit: null };
}

function scanLine(text: string, start: number, end: number, links: Link[], tagUses: TagUse[]): void {
  for (let at = start; at < end; at += 1) {
    const character = text[at];
    if (character === '\\') at += 1;
    else if (character === '`') {
      const run = /`+/y;
      run.lastIndex = at;
      const ticks = run.exec(text)?.[0] ?? '`';
      const close = text.slice(0, end).indexOf(ticks, at + ticks.length);
      at = (close === -1 ? at : close) + ticks.length - 1;
    } else if (character === '<' && text.startsWith('<!--', at)) {
      const close = text.slice(0, end).indexOf('-->', at);
      if (close !== -1) at = close + 2;
    } else if (character === '[' && text[at + 1] === '[') {
      const close = wikilinkEnd(text, at, end);
      if (close === -1) continue;
      links.push(readWikilink(text, { start: text[at - 1] === '!' ? at - 1 : at, end: close }));
      at = close - 1;
    } else if (character === '[') {
      const pattern = /\[([^[\]]*)\]\((?:<([^<>\n]*)>|([^\s()]*(?:\([^\s()]*\)[^\s()]*)*))(?:\s+"[^"\n]*")?\)/y;
      pattern.lastIndex = at;
      const match = pattern.exec(text);
      if (!match) continue;
      const raw = match[2] ?? match[3] ?? '';
      const link = decodeDestination(raw);
      const isEmbed = text[at - 1] === '!';
      const from = at + (match[1] ?? '').length + 3 + (match[2] === undefined ? 0 : 1);
      if (link !== null) {
        const span = { start: isEmbed ? at - 1 : at, end: pattern.lastIndex };
        links.push({ kind: isEmbed ? 'embed' : 'link', form: 'markdown', link, ...span, target: { start: from, end: from + raw.length } });
      }
      at = pattern.lastIndex - 1;
    } else if (character === '#' && (at === start || /\s/.test(text[at - 1] ?? ''))) {
      const tag = /#([^\u2000-\u206F\u2E00-\u2E7F'!"#$%&()*+,.:;<=>?@^`{|}~[\]\\\s]+)/y;
      tag.lastIndex = at;
      const match = tag.exec(text);
      if (!match?.[1] || /^\d+$/.test(match[1])) continue;
      tagUses.push({ tag: match[1], start: at, end: tag.lastIndex });
      at = tag.lastIndex - 1;
    }
  }
}
