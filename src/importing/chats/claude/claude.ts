import { isRecord } from '../../../is-record.ts';
import { Tally } from '../../imported.ts';
import type { ExportReader, ImportedNote, NoteOutline, Outline } from '../../imported.ts';
import { readTextOrLeave } from '../../source/read-file.ts';
import type { SourceFile, SourceFiles } from '../../source/source-files.ts';
import { cleanLine, toTime } from '../../text/clean.ts';
import { conversationFiles, readConversations } from '../conversations.ts';
import { listAt, parseJson, recordAt, recordsAt, textAt } from '../json.ts';
import { formatTranscript } from '../transcript.ts';
import { showMessage } from './message.ts';
import { listMemories, listProjects } from './projects.ts';
import type { Project } from './projects.ts';

type Values = Readonly<Record<string, unknown>>;

const MAX_JSON_BYTES = 64 * 1024 * 1024;
const PROJECTS = /(?:^|\/)(?:projects\.json|projects\/[^/]+\.json)$/i;
const MEMORIES = /(?:^|\/)(?:memories\.json|memories\/[^/]+\.json)$/i;
/** What an export holds besides, and is neither conversation nor knowledge. */
const OTHERS = /(?:^|\/)(?:users\.json|login_history\.json|manifest[^/]*\.json)$/i;
/** The parent of a first message. */
const NO_MESSAGE = '00000000-0000-4000-8000-000000000000';

/** Reads an export of Claude: conversations, projects with their documents, and what Claude remembers. */
export class ClaudeReader implements ExportReader {
  readonly tally = new Tally();
  readonly #source: SourceFiles;
  #others: readonly ImportedNote[] = [];
  #projects: readonly Project[] = [];

  constructor(source: SourceFiles) {
    this.#source = source;
  }

  async outline(): Promise<Outline> {
    this.tally.reset();
    this.#projects = listProjects(await this.#readAll(PROJECTS));
    const notes: NoteOutline[] = [];
    for await (const conversation of this.#conversations()) notes.push(outlineOf(conversation));
    this.#others = [...this.#projects.flatMap(({ notes: own }) => own), ...listMemories(await this.#readAll(MEMORIES), this.#projects)];
    const isKnown = (path: string): boolean => PROJECTS.test(path) || MEMORIES.test(path) || OTHERS.test(path);
    const conversations = new Set(conversationFiles(this.#source));
    for (const file of this.#source.files)
      if (!isKnown(file.path) && !conversations.has(file)) this.tally.leave(file.path, 'what it holds is not known here');
    return { notes: [...notes, ...this.#others], files: [] };
  }

  async *notes(): AsyncIterable<ImportedNote> {
    this.tally.counts.clear();
    for await (const conversation of this.#conversations({ isAgain: true })) yield this.#toNote(conversation);
    yield* this.#others;
  }

  /** Reads the values of all files with such a name; lists are taken apart. */
  async #readAll(name: RegExp): Promise<readonly Values[]> {
    const found: Values[] = [];
    for (const file of this.#source.files.filter(({ path }) => name.test(path))) {
      const value = await this.#readJson(file);
      found.push(...(Array.isArray(value) ? value : [value]).filter((each): each is Values => isRecord(each)));
    }
    return found;
  }

  async #readJson(file: SourceFile): Promise<unknown> {
    const text = await readTextOrLeave(file, MAX_JSON_BYTES, this.tally);
    const value = text === null ? null : parseJson(text);
    if (value === undefined) this.tally.leave(file.path, 'it is no JSON');
    return value;
  }

  #conversations({ isAgain = false } = {}): AsyncIterable<Values> {
    return readConversations(this.#source, {
      isConversation: (value) => Array.isArray(value['chat_messages']),
      idOf: (conversation) => outlineOf(conversation).id,
      tally: this.tally,
      isAgain,
    });
  }

  #toNote(conversation: Values): ImportedNote {
    const outline = outlineOf(conversation);
    const list = recordsAt(conversation, 'chat_messages');
    const messages = new Map(list.map((message, at) => [idOf(message, at), message]));
    const hasTree = list.some((message) => textAt(message, 'parent_message_uuid') !== '');
    const nodes = list.map((message, at) => {
      const parent = textAt(message, 'parent_message_uuid');
      const before = at === 0 ? null : idOf(list[at - 1] ?? {}, at - 1);
      return {
        id: idOf(message, at),
        // Without a tree, the list is the conversation.
        parent: hasTree ? (parent === '' || parent === NO_MESSAGE ? null : parent) : before,
        at: Date.parse(textAt(message, 'created_at')) || 0,
      };
    });
    const current = textAt(conversation, 'current_leaf_message_uuid') || null;
    const show = (id: string) => showMessage(messages.get(id) ?? {}, this.tally);
    const summary = cleanLine(textAt(conversation, 'summary'));
    const [created, updated] = [toTime(conversation['created_at']), toTime(conversation['updated_at'])];
    const given = recordAt(conversation, 'project');
    const id = textAt(given, 'uuid') || textAt(conversation, 'project_uuid');
    const project = this.#projects.find((each) => each.id === id)?.link ?? cleanLine(textAt(given, 'name'));
    return {
      ...outline,
      properties: {
        ...(created === undefined ? {} : { created }),
        ...(updated === undefined ? {} : { updated }),
        ...(/^[\w-]{8,64}$/.test(outline.id) ? { url: `https://claude.ai/chat/${outline.id}` } : {}),
        ...(project === '' ? {} : { project }),
        ...(summary === '' ? {} : { description: summary }),
        ...(conversation['is_starred'] === true ? { starred: true } : {}),
      },
      body: formatTranscript({ nodes, current, show }, this.tally),
      files: [],
    };
  }
}

function idOf(message: Values, at: number): string {
  return textAt(message, 'uuid') || `message ${at}`;
}

function outlineOf(conversation: Values): NoteOutline {
  const created = toTime(conversation['created_at']);
  const messages = listAt(conversation, 'chat_messages');
  const title = cleanLine(textAt(conversation, 'name'), messages.length === 0 ? 'Empty chat' : 'Untitled chat');
  return { id: cleanLine(textAt(conversation, 'uuid')) || `${created ?? ''} ${title}`, title, folder: created?.slice(0, 4) ?? '' };
}
