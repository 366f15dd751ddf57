/** One call of a tool. */
export interface Call {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A vault on which every operation has something to do. */
export const startNotes: Readonly<Record<string, string>> = {
  '.rouxrc.json': '{"filenames": "title"}\n',
  ...Object.fromEntries(
    [0, 1, 2, 3, 4, 5, 6, 7].map((n) => [
      `notes/Note ${n}.md`,
      `---\nrev: 1\nsee: "[[Note ${(n + 3) % 8}]]" # kept\n---\n# Part\n\nSee [[Note ${(n + 1) % 8}]], [[Note ${(n + 2) % 8}|that]] and ![[Note 0#Part]].\n`,
    ]),
  ),
};

/** What a fresh vault is given before the first kill. */
export const beginnings: readonly Call[] = [
  {
    tool: 'create_ontology',
    args: { node_types: ['thing', 'log'], connection_types: [{ name: 'near', from_types: ['thing'], to_types: ['thing'] }] },
  },
  ...['Thing one', 'Thing two'].map((title) => ({ tool: 'create_node', args: { title, type: 'thing', directory: 'things' } })),
  { tool: 'create_connection', args: { type: 'near', from_node_id: 'things/Thing one.md', to_node_id: 'things/Thing two.md' } },
  { tool: 'graph_open', args: { project: 'shed', goal: 'A shed' } },
  {
    tool: 'graph_plan',
    args: {
      project: 'shed',
      nodes: ['a', 'b', 'c', 'd'].map((ref) => ({ ref, summary: `Start ${ref}`, ...(ref === 'a' ? {} : { depends_on: ['a'] }) })),
    },
  },
  {
    tool: 'create_entities',
    args: { entities: ['Ada', 'Bob', 'Tea'].map((name) => ({ name, entityType: 'start', observations: [`of ${name}`, 'second'] })) },
  },
  { tool: 'create_relations', args: { relations: [{ from: 'Ada', to: 'Tea', relationType: 'likes' }] } },
];
