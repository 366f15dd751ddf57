/** A small export of ChatGPT, written for these tests after the format of 2026: shards, a tree with versions, files with ids as names. */
const T0 = 1_714_550_000;
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

type Json = Readonly<Record<string, unknown>>;

interface Said {
  readonly role?: string;
  readonly content?: Json;
  readonly parts?: readonly unknown[];
  readonly more?: Json;
  readonly metadata?: Json;
}

export function node(id: string, parent: string | null, said?: Said): readonly [string, Json] {
  const { role = 'user', parts = [], content = { content_type: 'text', parts }, more = {}, metadata = {} } = said ?? {};
  const at = T0 + Number(/\d+$/.exec(id)?.[0] ?? 0);
  const message = { id, author: { role, name: null, metadata: {} }, create_time: at, content, metadata, recipient: 'all', ...more };
  return [id, { id, parent, children: [], message: said === undefined ? null : message }];
}

export function conversation(
  id: string,
  title: string,
  nodes: readonly (readonly [string, Json])[],
  current: string,
  more: Json = {},
): Json {
  const times = { create_time: T0, update_time: T0 + 3600 };
  return { title, ...times, current_node: current, conversation_id: id, id, mapping: Object.fromEntries(nodes), ...more };
}

export const WORMS = '66325f30-0000-4000-8000-000000000001';
export const SHED = '66325f30-0000-4000-8000-000000000002';

export const worms = conversation(
  WORMS,
  'Compost & worms',
  [
    node('n0', null),
    node('n1', 'n0', { role: 'system', parts: [''] }),
    node('n2', 'n1', {
      content: { content_type: 'user_editable_context', user_profile: 'A gardener', user_instructions: 'Be brief' },
      metadata: { is_visually_hidden_from_conversation: true },
    }),
    node('n3', 'n2', { parts: ['How do I *start*? See [[secret]] #tag\n- [ ] buy worms'] }),
    node('n4', 'n3', { role: 'assistant', parts: ['First version'] }),
    node('n5', 'n3', {
      role: 'assistant',
      content: { content_type: 'thoughts', thoughts: [{ summary: 'Worms', content: 'They eat peels.' }] },
    }),
    node('n6', 'n5', {
      role: 'assistant',
      content: { content_type: 'code', language: 'python', text: 'print("[[x]]")' },
      more: { recipient: 'python' },
    }),
    node('n7', 'n6', { role: 'tool', content: { content_type: 'execution_output', text: '[[x]]' } }),
    node('n8', 'n7', {
      role: 'assistant',
      parts: ['Use a box \ue200cite\ue202turn0search0\ue201.\n\n```dataviewjs\ndv.pages()\n```'],
      metadata: {
        model_slug: 'gpt-5',
        content_references: [{ matched_text: '\ue200cite\ue202turn0search0\ue201', alt: '([wiki](https://example.org/worms))' }],
      },
    }),
    node('n9', 'n8', {
      content: {
        content_type: 'multimodal_text',
        parts: [{ content_type: 'image_asset_pointer', asset_pointer: 'file-service://file-abc123' }, 'Is this one?'],
      },
      metadata: {
        attachments: [
          { id: 'file-abc123', name: 'worm.png' },
          { id: 'file-gone99', name: 'lost.pdf' },
        ],
      },
    }),
    node('n10', 'n9', { role: 'assistant', content: { content_type: 'hologram', beam: 'blue' } }),
  ],
  'n10',
  { default_model_slug: 'gpt-5', is_archived: true },
);

export const shed = conversation(
  SHED,
  'The shed',
  [
    node('n1', null, {
      content: {
        content_type: 'multimodal_text',
        parts: [
          { content_type: 'audio_transcription', direction: 'in', text: 'Which paint?' },
          { content_type: 'audio_asset_pointer', asset_pointer: 'sediment://file_00ab' },
        ],
      },
    }),
    node('n2', 'n1', { role: 'assistant', parts: ['Oil.'] }),
  ],
  'n2',
);

export const CHATGPT: Readonly<Record<string, string | Buffer>> = {
  'conversations-000.json': JSON.stringify([worms]),
  'conversations-001.json': JSON.stringify([shed, worms]),
  'conversation_asset_file_names.json': JSON.stringify({ 'file_00ab.dat': 'question.wav' }),
  'export_manifest.json': '{"version": 1}',
  'user.json': '{"id": "user-1"}',
  'chat.html': '<html></html>',
  'file-abc123-worm.png': PNG,
  'file_00ab.dat': Buffer.from('RIFF\0\0\0\0WAVEfmt ', 'latin1'),
  'dalle-generations/file-dalle7-11.dat': PNG,
};
