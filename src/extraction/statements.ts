import { wholeEnd } from '../note/text.ts';
import type { EpisodeText } from '../ports.ts';
import { readEntityName } from './rules/entity-name.ts';
import { messagesOf } from './rules/read-messages.ts';
import { linesWithFacts } from './rules/read-text.ts';

/** A statement in the words of an episode: a whole message if it is short, else one sentence. */
export interface Statement {
  readonly text: string;
  /** Its sentences, each of which is searched by itself. */
  readonly sentences: readonly string[];
  /** Who said it in a message, by name, else by role; null in other texts. */
  readonly speaker: string | null;
  /** `user`, `assistant` or `system` in a message. */
  readonly role: string | null;
}

/** Messages up to this length are one statement. */
const MAX_MESSAGE_CHARACTERS = 600;
/** Longer sentences are divided between words. */
const MAX_CHARACTERS = 1_000;
/** Shorter ones, such as greetings, belong to the sentence beside them. */
const MIN_CHARACTERS = 16;

/**
 * Divides an episode into statements, word for word and in order; together they hold everything that was said. Lists, headings, quotes and
 * lines of tables are divided by lines, and code stays together. A line in which the rules find a fact is left out, since its fact says it.
 * JSON has no sentences. Takes time linear in the length.
 */
export function statementsOf({
  source,
  body,
  name,
}: Pick<EpisodeText, 'source' | 'body'> & { readonly name: string | null }): readonly Statement[] {
  if (source === 'json') return [];
  const owner = name === null ? null : readEntityName(name);
  if (source === 'text')
    return sentencesOf(body, linesWithFacts(body, { owner })).map((text) => ({ text, sentences: [text], speaker: null, role: null }));
  return messagesOf(body).flatMap(({ speaker, role, content }) => {
    const known = linesWithFacts(content, { owner: speaker ?? owner, speaker });
    const by = { speaker: speaker ?? role, role };
    const sentences = sentencesOf(content, known);
    const whole = content.trim();
    if (known.size === 0 && sentences.length > 0 && whole.length <= MAX_MESSAGE_CHARACTERS) return [{ text: whole, sentences, ...by }];
    return sentences.map((text) => ({ text, sentences: [text], ...by }));
  });
}

/** Returns all sentences of an episode with their speakers, including those in which the rules find facts. */
export function sentencesWithSpeakers({
  source,
  body,
}: Pick<EpisodeText, 'source' | 'body'>): readonly Omit<Statement, 'sentences' | 'role'>[] {
  if (source === 'json') return [];
  const messages = source === 'message' ? messagesOf(body) : [{ speaker: null, role: null, content: body }];
  return messages.flatMap(({ speaker, role, content }) =>
    sentencesOf(content, new Set()).map((text) => ({ text, speaker: speaker ?? role })),
  );
}

/** Returns the sentences of a text, without the markers of lists, headings and quotes before them. */
function sentencesOf(text: string, known: ReadonlySet<string>): readonly string[] {
  return blocksOf(text, known).flatMap(({ text: block, isCode }) => {
    const parts = isCode ? [block] : joinShort(splitSentences(block));
    return parts.flatMap(divideLong);
  });
}

interface Block {
  readonly text: string;
  readonly isCode: boolean;
}

const MARKER = /^[ \t]{0,32}(?:(?:>[ \t]?){1,16}|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|\d{1,9}[.)][ \t]+|#{1,6}[ \t]+|(?=\|))/;
const FENCE = /^[ \t]{0,3}(`{3,}|~{3,})/;

/** Divides a text into paragraphs, lines that stand alone, and blocks of code, without the lines that are known. */
function blocksOf(text: string, known: ReadonlySet<string>): readonly Block[] {
  const blocks: Block[] = [];
  let lines: string[] = [];
  let fence: string | null = null;
  const end = (isCode = false): void => {
    const block = lines.join(isCode ? '\n' : ' ').trim();
    if (block !== '') blocks.push({ text: block, isCode });
    lines = [];
  };
  for (const line of text.split(/\r\n|[\r\n]/)) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== null) {
      lines.push(line);
      if (mark?.startsWith(fence) === true) {
        end(true);
        fence = null;
      }
    } else if (mark !== undefined) {
      end();
      fence = mark;
      lines.push(line);
    } else if (line.trim() === '') end();
    else {
      const marker = MARKER.exec(line)?.[0];
      if (marker !== undefined) end();
      const shown = line.slice(marker?.length ?? 0).trim();
      if (!known.has(shown)) lines.push(shown);
      if (known.has(shown) || marker?.includes('#') === true) end();
    }
  }
  end(fence !== null);
  return blocks;
}

/** The end of a sentence, with closing quotes and brackets. Where the script has spaces, one has to follow. */
const SENTENCE_END = /[.!?…]+["'”’»)\]*_]*|[。！？｡]+[」』”’）]*/g;
const ABBREVIATION =
  /(?:^|[\s("'“‘])(?:mr|mrs|ms|dr|prof|st|sr|jr|vs|etc|e\.g|i\.e|cf|no|nr|fig|vol|ca|approx|dept|inc|ltd|z\.b|d\.h|bzw|usw|evtl|\p{L}|\d{1,2})\.$/iu;

/** Divides a paragraph into sentences. A full stop after an abbreviation or a number, or before a lower-case letter, ends none. */
function splitSentences(paragraph: string): readonly string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const { 0: mark, index } of paragraph.matchAll(SENTENCE_END)) {
    const end = index + mark.length;
    const isFullStop = mark.startsWith('.');
    if (/^[.!?…]/.test(mark) && !/[ \t]/.test(paragraph.charAt(end))) continue;
    if (isFullStop && /^\p{Ll}/u.test(paragraph.slice(end, end + 3).trimStart())) continue;
    if (isFullStop && ABBREVIATION.test(paragraph.slice(Math.max(start, index - 12), index + 1))) continue;
    sentences.push(paragraph.slice(start, end).trim());
    start = end;
  }
  sentences.push(paragraph.slice(start).trim());
  return sentences.filter((sentence) => sentence !== '');
}

function joinShort(sentences: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const sentence of sentences) {
    const before = joined.at(-1);
    if (before !== undefined && (isShort(sentence) || isShort(before))) joined[joined.length - 1] = `${before} ${sentence}`;
    else joined.push(sentence);
  }
  return joined;
}

/** Scripts without spaces say much in few characters. */
function isShort(sentence: string): boolean {
  return sentence.length < MIN_CHARACTERS && !/[\u3040-\u30ff\u3400-\u9fff]/.test(sentence);
}

function divideLong(sentence: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  while (sentence.length - start > MAX_CHARACTERS) {
    const space = sentence.lastIndexOf(' ', start + MAX_CHARACTERS);
    const end = space > start ? space : wholeEnd(sentence, start + MAX_CHARACTERS);
    parts.push(sentence.slice(start, end).trim());
    start = end;
  }
  return [...parts, sentence.slice(start).trim()].filter((part) => part !== '');
}
