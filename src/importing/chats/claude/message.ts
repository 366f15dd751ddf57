import type { Tally } from '../../imported.ts';
import type { Callout } from '../../text/callout.ts';
import { cleanLine, toTime } from '../../text/clean.ts';
import { fenced, quiet, quietLabel } from '../../text/quiet.ts';
import { isRecord } from '../../../is-record.ts';
import { listAt, recordAt, recordsAt, textAt, toPrettyJson } from '../json.ts';
import { sayWho } from '../transcript.ts';

type Values = Readonly<Record<string, unknown>>;

/** Kinds of content that say nothing: how much of the model's window was left. */
const SILENT: ReadonlySet<string> = new Set(['token_budget', 'flag']);

/** Shows a message of Claude: what was said in one callout, and thoughts and tools in their order before, between and after. */
export function showMessage(message: Values, tally: Tally): readonly Callout[] {
  const at = toTime(message['created_at']);
  const isHuman = textAt(message, 'sender') === 'human';
  const said = (body: string): Callout => ({
    type: isHuman ? 'user' : 'assistant',
    title: sayWho(isHuman ? 'You' : 'Claude', { at }),
    body,
  });
  const content = recordsAt(message, 'content');
  const callouts: Callout[] = [];
  let texts: string[] = [];
  const flush = (): void => {
    const body = texts.filter((text) => text.trim() !== '').join('\n\n');
    if (body !== '') callouts.push(said(body));
    texts = [];
  };
  for (const part of content) {
    const type = textAt(part, 'type');
    if (type === 'text') texts.push(showText(part));
    else if (type === 'voice_note') texts.push(quiet(textAt(part, 'title')), quiet(textAt(part, 'text')));
    else if (!SILENT.has(type)) {
      const other = showOther(part, type, tally);
      if (other === null) continue;
      flush();
      callouts.push(other);
    }
  }
  // Older exports have the text alone.
  if (content.length === 0) texts.push(quiet(textAt(message, 'text')));
  texts.push(...showFiles(message, tally));
  flush();
  return callouts;
}

/** Shows a text, and below it the pages that it cites. */
function showText(part: Values): string {
  const pages = recordsAt(part, 'citations').flatMap((citation) => {
    const details = recordAt(citation, 'details');
    const url = textAt(details, 'url') || textAt(citation, 'url');
    const title = cleanLine(textAt(citation, 'title')) || url;
    return /^https?:\/\/[^\s<>]{1,2000}$/.test(url) ? [`[${quietLabel(title).replace(/[[\]]/g, '')}](<${url}>)`] : [];
  });
  const cited = pages.length === 0 ? '' : `\n\nSources: ${[...new Set(pages)].join(', ')}`;
  return `${quiet(textAt(part, 'text'))}${cited}`;
}

function showOther(part: Values, type: string, tally: Tally): Callout | null {
  const name = quietLabel(cleanLine(textAt(part, 'name')));
  if (type === 'thinking') {
    const body = quiet(textAt(part, 'thinking'));
    return body === '' ? null : { type: 'thinking', title: 'Thoughts', body, isFolded: true };
  }
  if (type === 'tool_use') {
    const body = [quiet(textAt(part, 'message')), ...showInput(recordAt(part, 'input'))].filter((text) => text !== '').join('\n\n');
    return { type: 'tool', title: `Claude to ${name === '' ? 'a tool' : name}`, body, isFolded: true };
  }
  if (type === 'tool_result') {
    const body = showResult(part['content']);
    const how = part['is_error'] === true ? ' (failed)' : '';
    return body === '' ? null : { type: 'tool', title: `Tool${name === '' ? '' : ` ${name}`}${how}`, body, isFolded: true };
  }
  const json = toPrettyJson(part);
  if (json === '') return null;
  tally.count('parts of unknown kinds as JSON');
  return { type: 'tool', title: quietLabel(cleanLine(type, 'Unknown')), body: fenced(json, 'json'), isFolded: true };
}

/** Shows what a tool was given. Documents and programs, which Claude calls artifacts, stand as they are; the rest is JSON. */
function showInput(input: Values): readonly string[] {
  const { content, code, file_text: file, ...rest } = input;
  const texts = [content, code, file].filter((text) => typeof text === 'string');
  const others = Object.fromEntries(
    Object.entries({ ...rest, content, code, file_text: file }).filter(
      ([, value]) => value !== undefined && !texts.includes(value as string),
    ),
  );
  const json = toPrettyJson(others);
  const language = textAt(input, 'language') || (/markdown/.test(textAt(input, 'type')) ? 'markdown' : '');
  return [...(json === '' ? [] : [fenced(json, 'json')]), ...texts.map((text) => fenced(text, language))];
}

function showResult(content: unknown): string {
  if (typeof content === 'string') return fenced(content);
  if (!Array.isArray(content)) return '';
  const parts = content.map((part: unknown) => {
    if (typeof part === 'string') return fenced(part);
    if (!isRecord(part)) return '';
    return textAt(part, 'type') === 'text' ? fenced(textAt(part, 'text')) : fenced(toPrettyJson(part), 'json');
  });
  return parts.filter((part) => part !== '').join('\n\n');
}

/** Shows the texts of attached files, and names those whose content is not in the export. */
function showFiles(message: Values, tally: Tally): readonly string[] {
  const attached = recordsAt(message, 'attachments').map((attachment) => {
    const name = quietLabel(cleanLine(textAt(attachment, 'file_name'), 'pasted text'));
    const text = textAt(attachment, 'extracted_content');
    return text === '' ? `*(attached: ${name})*` : `**${name}**\n\n${fenced(text)}`;
  });
  const files = listAt(message, 'files').flatMap((file) => {
    const name = isRecord(file) ? cleanLine(textAt(file, 'file_name')) : '';
    if (name === '') return [];
    tally.count('files that are not in the export');
    return [`*(a file that is not in the export: ${quietLabel(name)})*`];
  });
  return [...attached, ...files];
}
