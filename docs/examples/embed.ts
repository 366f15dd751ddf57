// A program that embeds roux: what a reading list gains when a note names it.
//
//   node embed.js ~/notes
//
// Everything that a program may import stands in the package's index; a test compiles and runs this file.
import { RouxError, isNotePath, loadConfig, openHost, operations } from 'roux';
import type { AnswerOf, GraphView, Note, NoteChange, NotePath, Plan, Session } from 'roux';

const root = process.argv[2] ?? '.';

// One open vault. It follows the disk: what a person saves in an editor is in the next answer.
const host = openHost({ root, config: loadConfig({ vaultRoot: root, env: process.env }) });
try {
  const vault = await host.vault();

  // Read: a note as it is on the disk now, in parts. Paths come from outside as text; the guard says whether one names a note.
  const path = 'Reading list.md';
  if (!isNotePath(path)) throw new Error(`${path} is no path of a note`);
  const session: Session = host.openSession({ id: 'reading-list', agent: () => 'reading-list' });
  const list = await vault.notes.read(path);
  const note: Note = list === null ? await create(session, path) : list.note;
  console.log(`${note.title}: ${note.links.length} links`);

  // Search: the same that the tool and the command answer with.
  const { hits } = await vault.search.search({ query: 'book', mode: 'keyword', limit: 3, snippetLength: 60 });
  for (const hit of hits) console.log(`found ${hit.path}`);

  // Plan and write: a plan lists every file that it touches, and all of it happens or none. It is made under the vault's lock,
  // from the graph as it is then, and may be made again when somebody saves meanwhile.
  const committed = await vault.writes.write({ operation: 'collect', agent: 'reading-list' }, (graph) => collect(graph, path));
  for (const file of committed.files) console.log(`${file.changed ? 'wrote' : 'kept'} ${file.path}`);

  // An operation, by the name that the tool has: arguments and answer have types, and its warnings come beside it.
  const { output, warnings } = await session.run(operations.get_neighbors, { id: path, direction: 'out' });
  console.log(`leads to ${output.length === 0 ? 'nothing' : output.map(({ title }) => title).join(', ')}`);
  for (const warning of warnings) console.warn(warning);

  // A write that is made twice with one key is made once.
  const args = { id: path, properties: { checked: true }, idempotency_key: 'reading-list-checked' };
  await session.run(operations.update_node, args);
  await session.run(operations.update_node, args);

  // What goes wrong has a code and says what to do: here somebody saved since this program read.
  try {
    await session.run(operations.update_node, { id: path, content: 'Nothing\n', expected_rev: 0 });
  } catch (error) {
    if (!(error instanceof RouxError)) throw error;
    console.log(`refused: ${error.code}`);
  }
} finally {
  await host.close();
}

async function create(session: Session, path: NotePath): Promise<Note> {
  type Created = AnswerOf<typeof operations.create_node>;
  const { output }: { output: Created } = await session.run(operations.create_node, { title: 'Reading list', content: '' });
  if ('dry_run' in output) throw new Error('it was only tried');
  const made = await (await host.vault()).notes.read(path);
  if (made === null) throw new Error(`${output.id} is not where it should be`);
  return made.note;
}

/** A line in the list for each note of the tag `book` that it does not link to yet. */
function collect(graph: GraphView, list: NotePath): Plan {
  const known = new Set(graph.walk.neighbors(list, 'out').map(({ entry }) => entry.path));
  const changes = graph.facets
    .byTag('book')
    .filter((entry) => !known.has(entry.path) && entry.path !== list)
    .map((entry): NoteChange => ({ op: 'add-line', section: 'Books', line: `[[${entry.title}]]`, unique: true }));
  return { files: [{ kind: 'change', path: list, changes }] };
}
