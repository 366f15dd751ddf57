import { knowledgeStats } from '../../../ops/knowledge/maintain/counts.ts';
import { vaultStats } from '../../../ops/notes/read/stats.ts';
import type { AnswerOf } from '../../../ops/operation.ts';
import { defineCommand, DONE } from '../command.ts';
import { describeEmbedding } from '../show.ts';

const WIDTH = 14;

/** `roux stats`: what a vault contains. */
export const stats = defineCommand({
  name: 'stats',
  summary: 'how many notes, links, tags, tasks … there are, what history and trash take, and the version of the vault',
  group: 'read',
  async run(context) {
    const { output: found } = await context.run(vaultStats, {});
    const { output: knowledge } = await context.run(knowledgeStats, {});
    if (context.isJson) {
      context.printJson({ ...found, knowledge });
      return DONE;
    }
    const { tasks, history, undo, trash } = found;
    const rows: readonly (readonly [string, string])[] = [
      ['notes', `${found.notes}${found.hidden === 0 ? '' : ` (${found.hidden} hidden)`}`],
      ['links', `${found.links}`],
      ['unresolved', `${found.unresolved}`],
      ['tags', `${found.tags}`],
      ['attachments', `${found.attachments}`],
      ['tasks', `${tasks.total} (${tasks.open} open, projects: ${tasks.projects})`],
      ['entities', `${found.entities}`],
      ...(knowledge.groups === 0 ? [] : knowledgeRows(knowledge)),
      ['history', `${history.events} events, ${inBytes(history.bytes)}`],
      ['kept for undo', inBytes(undo.bytes)],
      ['trash', `${trash.files} files, ${inBytes(trash.bytes)}`],
      ['embeddings', describeEmbedding(found.meaning)],
      ['version', found.version],
    ];
    for (const [name, value] of rows) context.print(`${context.paint.dim(name.padEnd(WIDTH))} ${value}`);
    return DONE;
  },
});

function knowledgeRows({ groups, entities, facts, episodes }: AnswerOf<typeof knowledgeStats>): readonly (readonly [string, string])[] {
  const states = Object.entries(episodes.states).flatMap(([state, count]) => (state === 'completed' ? [] : [`${count} ${state}`]));
  const open = [...states, ...(episodes.foreign === 0 ? [] : [`${episodes.foreign} accepted elsewhere`])];
  return [
    ['knowledge', `${entities} entities (groups: ${groups})`],
    ['facts', `${facts.total} (${facts.now} hold now, ${facts.expired} expired)`],
    ['episodes', `${episodes.total}${open.length === 0 ? '' : ` (${open.join(', ')})`}`],
  ];
}

function inBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
