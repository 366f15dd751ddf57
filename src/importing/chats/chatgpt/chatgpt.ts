import { isRecord } from '../../../is-record.ts';
import { Tally } from '../../imported.ts';
import type { ExportReader, ImportedNote, NoteOutline, Outline } from '../../imported.ts';
import { sourceName } from '../../source/source-path.ts';
import type { SourceFiles } from '../../source/source-files.ts';
import { cleanLine, toTime } from '../../text/clean.ts';
import { conversationFiles, readConversations } from '../conversations.ts';
import { listAt, recordAt, recordsAt, textAt } from '../json.ts';
import { formatTranscript } from '../transcript.ts';
import { assetId, Assets } from './assets.ts';
import { showMessage } from './message.ts';

type Values = Readonly<Record<string, unknown>>;

/** What an export holds besides, and is no conversation. */
const OTHERS =
  /^(?:chat\.html|user(?:_settings)?\.json|message_feedback\.json|model_comparisons\.json|shared_conversations\.json|export_manifest\.json|conversation_asset_file_names.*\.json|library_files\.json|shopping\.json|tool_messages\.json|README\.\w+)$/i;

/** Reads an export of ChatGPT. */
export class ChatGptReader implements ExportReader {
  readonly tally = new Tally();
  readonly #source: SourceFiles;
  readonly #assets: Assets;

  constructor(source: SourceFiles) {
    this.#source = source;
    this.#assets = new Assets(source);
  }

  async outline(): Promise<Outline> {
    this.tally.reset();
    await this.#assets.readNames(this.#source, this.tally);
    const notes: NoteOutline[] = [];
    for await (const conversation of this.#conversations()) {
      notes.push(outlineOf(conversation));
      for (const { message } of messagesOf(conversation)) this.#useAssets(message);
    }
    const files = await this.#assets.outline();
    const taken = new Set([...files.map(({ file }) => file), ...conversationFiles(this.#source)]);
    for (const file of this.#source.files)
      if (!taken.has(file) && !OTHERS.test(sourceName(file.path))) this.tally.leave(file.path, 'it is no conversation, and no file of one');
    return { notes, files };
  }

  async *notes(): AsyncIterable<ImportedNote> {
    this.tally.counts.clear();
    for await (const conversation of this.#conversations({ isAgain: true })) yield this.#toNote(conversation);
  }

  #conversations({ isAgain = false } = {}): AsyncIterable<Values> {
    return readConversations(this.#source, {
      isConversation: (value) => isRecord(value['mapping']),
      idOf: (conversation) => outlineOf(conversation).id,
      tally: this.tally,
      isAgain,
    });
  }

  #useAssets(message: Values): void {
    for (const attachment of recordsAt(recordAt(message, 'metadata'), 'attachments'))
      this.#assets.use(assetId(attachment['id']), cleanLine(textAt(attachment, 'name')));
    for (const part of listAt(recordAt(message, 'content'), 'parts')) {
      if (!isRecord(part)) continue;
      for (const each of [
        part,
        part['audio_asset_pointer'],
        part['video_container_asset_pointer'],
        ...listAt(part, 'frames_asset_pointers'),
      ])
        this.#assets.use(assetId(isRecord(each) ? each['asset_pointer'] : each));
    }
  }

  #toNote(conversation: Values): ImportedNote {
    const outline = outlineOf(conversation);
    const files = new Set<string>();
    const showing = { assets: this.#assets, tally: this.tally, files };
    const messages = new Map(messagesOf(conversation).map((each) => [each.id, each]));
    const body = formatTranscript(
      {
        nodes: nodesOf(conversation),
        current: textAt(conversation, 'current_node'),
        show: (id) => {
          const found = messages.get(id);
          return found === undefined ? [] : showMessage(found.message, showing);
        },
      },
      this.tally,
    );
    const model = cleanLine(textAt(conversation, 'default_model_slug'));
    const [template, gpt] = [textAt(conversation, 'conversation_template_id'), textAt(conversation, 'gizmo_id')].map((id) => cleanLine(id));
    return {
      ...outline,
      properties: {
        ...timesOf(conversation),
        ...(/^[\w-]{8,64}$/.test(outline.id) ? { url: `https://chatgpt.com/c/${outline.id}` } : {}),
        ...(model === '' ? {} : { model }),
        ...(gpt === undefined || gpt === '' ? {} : { gpt }),
        ...(template === undefined || template === '' || template === gpt ? {} : { chatgpt_project: template }),
        ...(conversation['is_archived'] === true ? { archived: true } : {}),
        ...(conversation['is_starred'] === true ? { starred: true } : {}),
      },
      body,
      files: [...files],
    };
  }
}

function outlineOf(conversation: Values): NoteOutline {
  const created = toTime(conversation['create_time']);
  const title = cleanLine(textAt(conversation, 'title'), 'New chat');
  const id = cleanLine(textAt(conversation, 'conversation_id')) || cleanLine(textAt(conversation, 'id')) || `${created ?? ''} ${title}`;
  return { id, title, folder: created?.slice(0, 4) ?? '' };
}

function timesOf(conversation: Values): { readonly created?: string; readonly updated?: string } {
  const [created, updated] = [toTime(conversation['create_time']), toTime(conversation['update_time'])];
  return { ...(created === undefined ? {} : { created }), ...(updated === undefined ? {} : { updated }) };
}

function messagesOf(conversation: Values): readonly { readonly id: string; readonly message: Values }[] {
  return Object.entries(recordAt(conversation, 'mapping')).flatMap(([id, node]) =>
    isRecord(node) && isRecord(node['message']) ? [{ id, message: node['message'] }] : [],
  );
}

function nodesOf(conversation: Values) {
  return Object.entries(recordAt(conversation, 'mapping')).flatMap(([id, node]) => {
    if (!isRecord(node)) return [];
    const at = recordAt(node, 'message')['create_time'];
    return [{ id, parent: textAt(node, 'parent') || null, at: typeof at === 'number' ? at : 0 }];
  });
}
