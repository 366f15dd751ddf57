import { isRecord } from '../../../is-record.ts';
import type { Tally } from '../../imported.ts';
import { linkToken } from '../../tokens.ts';
import type { Callout } from '../../text/callout.ts';
import { cleanLine, toTime } from '../../text/clean.ts';
import { fenced, quiet, quietLabel } from '../../text/quiet.ts';
import { listAt, recordAt, recordsAt, textAt, toPrettyJson } from '../json.ts';
import { sayWho } from '../transcript.ts';
import { assetId } from './assets.ts';
import type { Assets } from './assets.ts';

type Values = Readonly<Record<string, unknown>>;

/** What showing messages needs, and counts. */
export interface Showing {
  readonly assets: Assets;
  readonly tally: Tally;
  /** The files that are shown, by their paths in the export. */
  readonly files: Set<string>;
}

const POINTERS = ['image_asset_pointer', 'audio_asset_pointer', 'video_container_asset_pointer'];
/** What citations of one passage are shown as, all together: a short mark may stand for a long text, and be there often. */
const MAX_CITED_CHARACTERS = 1_000_000;
/** Marks of citations, which ChatGPT replaces when it shows a message; the last form is of 2023 and 2024, and may be text. */
const CITATION = /\ue200[^\ue200\ue201]{0,2000}\ue201|[\ue200-\ue20f]|【[^【】]{1,200}】/g;

/** Shows a message of ChatGPT; nothing if it holds nothing. */
export function showMessage(message: Values, showing: Showing): readonly Callout[] {
  const content = recordAt(message, 'content');
  const body = [...showContent(content, { message, showing }), ...showAttachments(message, { content, showing })]
    .filter((part) => part.trim() !== '')
    .join('\n\n');
  if (body === '') return [];
  const [author, metadata] = [recordAt(message, 'author'), recordAt(message, 'metadata')];
  const [role, kind, recipient] = [textAt(author, 'role'), textAt(content, 'content_type'), textAt(message, 'recipient')];
  const at = toTime(message['create_time']);
  const isHidden = metadata['is_visually_hidden_from_conversation'] === true;
  if (isHidden) showing.tally.count('messages that ChatGPT hides, folded');
  if (role === 'user' && !isHidden) return [{ type: 'user', title: sayWho('You', { at }), body }];
  const isThought = kind === 'thoughts' || kind === 'reasoning_recap';
  const isToTool = recipient !== '' && recipient !== 'all';
  const name = cleanLine(textAt(author, 'name'));
  const [type, who] =
    role === 'assistant'
      ? isThought
        ? ['thinking', 'Thoughts']
        : isToTool
          ? ['tool', `ChatGPT to ${quietLabel(cleanLine(recipient))}`]
          : ['assistant', 'ChatGPT']
      : role === 'user'
        ? ['hidden', 'You (hidden)']
        : role === 'tool'
          ? ['tool', name === '' ? 'Tool' : `Tool ${quietLabel(name)}`]
          : ['system', 'System'];
  const detail = type === 'assistant' ? quietLabel(cleanLine(textAt(metadata, 'model_slug'))) : undefined;
  return [{ type, title: sayWho(who, { detail, at }), body, isFolded: isHidden || type !== 'assistant' }];
}

interface Shown {
  readonly message: Values;
  readonly showing: Showing;
}

function showContent(content: Values, { message, showing }: Shown): readonly string[] {
  const text = textAt(content, 'text');
  switch (textAt(content, 'content_type')) {
    case 'text':
    case 'multimodal_text':
      return listAt(content, 'parts').map((part) => showPart(part, { message, showing }));
    case 'code': {
      const language = textAt(content, 'language');
      return text === '' ? [] : [fenced(text, language === 'unknown' ? '' : language)];
    }
    case 'execution_output':
      return text === '' ? [] : [fenced(text)];
    case 'tether_quote':
      return [quiet([textAt(content, 'title'), textAt(content, 'url'), text].filter((part) => part !== '').join('\n\n'))];
    case 'tether_browsing_display':
      return [quiet([textAt(content, 'summary'), textAt(content, 'result')].filter((part) => part !== '').join('\n\n'))];
    case 'system_error':
      return [quiet([textAt(content, 'name'), text].filter((part) => part !== '').join(': '))];
    case 'user_editable_context':
      return [quiet(textAt(content, 'user_profile')), quiet(textAt(content, 'user_instructions'))];
    case 'model_editable_context':
      return [quiet(textAt(content, 'model_set_context'))];
    case 'thoughts':
      return recordsAt(content, 'thoughts').flatMap((thought) => [quiet(textAt(thought, 'summary')), quiet(textAt(thought, 'content'))]);
    case 'reasoning_recap':
      return [quiet(textAt(content, 'content'))];
    default:
      return showUnknown(content, showing);
  }
}

/** Shows what this version does not know as the JSON that it is. */
function showUnknown(content: Values, { tally }: Showing): readonly string[] {
  const json = toPrettyJson(content);
  if (json === '') return [];
  tally.count('parts of unknown kinds as JSON');
  return [fenced(json, 'json')];
}

function showPart(part: unknown, shown: Shown): string {
  if (typeof part === 'string') return quiet(placeCitations(part, recordAt(shown.message, 'metadata')));
  if (!isRecord(part)) return '';
  const kind = textAt(part, 'content_type');
  if (POINTERS.includes(kind)) return showAsset(part, shown.showing);
  if (kind === 'audio_transcription') return quiet(textAt(part, 'text'));
  if (kind === 'real_time_user_audio_video_asset_pointer') {
    const assets = [part['audio_asset_pointer'], part['video_container_asset_pointer'], ...listAt(part, 'frames_asset_pointers')];
    return assets.map((asset) => showAsset(isRecord(asset) ? asset : { asset_pointer: asset }, shown.showing)).join('\n');
  }
  return showUnknown(part, shown.showing).join('\n\n');
}

function showAsset(part: Values, { assets, tally, files }: Showing): string {
  const id = assetId(part['asset_pointer']);
  if (id === null) return '';
  const path = assets.find(id);
  if (path === null) {
    tally.count('files that are not in the export');
    return `*(a file that is not in the export: ${id.replaceAll('_', '\\_')})*`;
  }
  files.add(path);
  return linkToken({ kind: 'file', target: path, isEmbed: true });
}

/** Names the files that a message came with, but for those that it shows. */
function showAttachments(
  message: Values,
  { content, showing }: { readonly content: Values; readonly showing: Showing },
): readonly string[] {
  const shown = new Set(listAt(content, 'parts').map((part) => (isRecord(part) ? assetId(part['asset_pointer']) : null)));
  return recordsAt(recordAt(message, 'metadata'), 'attachments').flatMap((attachment) => {
    const id = assetId(attachment['id']);
    if (id !== null && shown.has(id)) return [];
    const name = cleanLine(textAt(attachment, 'name'), 'file');
    const path = showing.assets.find(id);
    if (path === null) showing.tally.count('files that are not in the export');
    else showing.files.add(path);
    return [
      path === null ? `*(a file that is not in the export: ${quietLabel(name)})*` : linkToken({ kind: 'file', target: path, shown: name }),
    ];
  });
}

/** Replaces the marks of citations by the links that ChatGPT shows for them. */
function placeCitations(text: string, metadata: Values): string {
  if (!/[\ue200-\ue20f【]/.test(text)) return text;
  const references = recordsAt(metadata, 'content_references');
  const shown = new Map(references.map((reference) => [textAt(reference, 'matched_text'), citedAs(reference)]));
  let room = MAX_CITED_CHARACTERS;
  return text.replace(CITATION, (mark) => {
    const link = shown.get(mark) ?? '';
    if (link === '' && mark.startsWith('【')) return mark;
    room -= link.length;
    return room < 0 ? '' : link;
  });
}

/** Returns what ChatGPT shows for a citation: the text that it gives, else the pages or the file. */
function citedAs(reference: Values): string {
  const given = textAt(reference, 'alt');
  if (given !== '') return given;
  const pages = [reference, ...recordsAt(reference, 'items')].flatMap((page) => {
    const url = textAt(page, 'url');
    return /^https?:\/\/[^\s<>()]+$/.test(url) ? [`[${cleanLine(textAt(page, 'title').replace(/[[\]]/g, ' '), 'link')}](${url})`] : [];
  });
  if (pages.length > 0) return `(${pages.join(', ')})`;
  const name = cleanLine(textAt(reference, 'name'));
  return name === '' ? '' : `(${name})`;
}
