import type { ImportedNote } from '../../imported.ts';
import { formatCallout } from '../../text/callout.ts';
import { cleanLine, toTime } from '../../text/clean.ts';
import { quiet, quietLabel } from '../../text/quiet.ts';
import { linkToken } from '../../tokens.ts';
import { recordAt, recordsAt, textAt } from '../json.ts';

type Values = Readonly<Record<string, unknown>>;

/** A project of Claude with the notes that it becomes: one of its own, and one for each document. */
export interface Project {
  readonly id: string;
  readonly title: string;
  /** A link to its note. */
  readonly link: string;
  readonly notes: readonly ImportedNote[];
}

const FOLDER = 'Projects';

export function listProjects(values: readonly Values[]): readonly Project[] {
  const seen = new Set<string>();
  return values.flatMap((project) => {
    const id = cleanLine(textAt(project, 'uuid'));
    if (id === '' || seen.has(id)) return [];
    seen.add(id);
    const title = cleanLine(textAt(project, 'name'), 'Untitled project');
    const link = linkToken({ kind: 'note', target: id, shown: title });
    const folder = `${FOLDER}/${title.replaceAll('/', ' ')}`;
    const documents = recordsAt(project, 'docs').map((document, at) => toDocument(document, { id, at, folder, link }));
    const description = textAt(project, 'description').trim();
    const instructions = textAt(project, 'prompt_template').trim();
    const links = documents.map((document) => `- ${linkToken({ kind: 'note', target: document.id, shown: document.title })}`);
    const blocks = [
      ...(description === '' ? [] : [formatCallout({ type: 'description', title: 'Description', body: quiet(description) })]),
      ...(instructions === '' ? [] : [formatCallout({ type: 'instructions', title: 'Instructions', body: quiet(instructions) })]),
      ...(links.length === 0 ? [] : [`## Documents\n\n${links.join('\n')}`]),
    ];
    const note = {
      id,
      title,
      folder,
      properties: timesOf(project),
      body: blocks.length === 0 ? '' : `${blocks.join('\n\n')}\n`,
      files: [],
    };
    return [{ id, title, link, notes: [note, ...documents] }];
  });
}

function toDocument(
  document: Values,
  { id, at, folder, link }: { readonly id: string; readonly at: number; readonly folder: string; readonly link: string },
): ImportedNote {
  const title = cleanLine(textAt(document, 'filename').replace(/\.md$/i, ''), `Document ${at + 1}`);
  const text = textAt(document, 'content');
  return {
    id: cleanLine(textAt(document, 'uuid')) || `${id} ${title}`,
    title,
    folder,
    properties: { ...timesOf(document), project: link },
    body: text.trim() === '' ? '' : `${formatCallout({ type: 'document', title: 'Document', body: quiet(text) })}\n`,
    files: [],
  };
}

/** What Claude remembers of all chats, and of each project. */
export function listMemories(values: readonly Values[], projects: readonly Project[]): readonly ImportedNote[] {
  return values.flatMap((memory, at) => {
    const account = cleanLine(textAt(memory, 'account_uuid')) || String(at);
    const blocks: string[] = [];
    const general = textAt(memory, 'conversations_memory').trim();
    if (general !== '') blocks.push(formatCallout({ type: 'memory', title: 'From all chats', body: quiet(general) }));
    for (const [id, text] of Object.entries(recordAt(memory, 'project_memories'))) {
      if (typeof text !== 'string' || text.trim() === '') continue;
      const link = projects.find((project) => project.id === id)?.link;
      blocks.push(
        `## ${link ?? 'A project that is not in the export'}`,
        formatCallout({ type: 'memory', title: 'From its chats', body: quiet(text) }),
      );
    }
    for (const file of recordsAt(memory, 'memory_files')) {
      const text = textAt(file, 'content') || textAt(file, 'text');
      const name = cleanLine(textAt(file, 'path') || textAt(file, 'name'), 'File');
      if (text.trim() !== '') blocks.push(formatCallout({ type: 'memory', title: quietLabel(name), body: quiet(text) }));
    }
    if (blocks.length === 0) return [];
    const title = values.length === 1 ? 'What Claude remembers' : `What Claude remembers ${at + 1}`;
    return [{ id: `memory ${account}`, title, folder: '', properties: {}, body: `${blocks.join('\n\n')}\n`, files: [] }];
  });
}

function timesOf(value: Values): { readonly created?: string; readonly updated?: string } {
  const [created, updated] = [toTime(value['created_at']), toTime(value['updated_at'])];
  return { ...(created === undefined ? {} : { created }), ...(updated === undefined ? {} : { updated }) };
}
