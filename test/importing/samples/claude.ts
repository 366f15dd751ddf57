/** A small export of Claude, written for these tests after the format of 2026: one archive a category, messages as trees of parts. */
const T = (minute: number): string => `2026-03-01T10:${String(minute).padStart(2, '0')}:00.000000Z`;
const ROOT = '00000000-0000-4000-8000-000000000000';
const uuid = (number: number): string => `0195a1b2-0000-4000-8000-${String(number).padStart(12, '0')}`;

export const BEDS = uuid(1);
export const OLD = uuid(2);
export const GARDEN = uuid(50);

const message = (number: number, parent: number | null, sender: string, content: readonly object[], more: object = {}) => ({
  uuid: uuid(number),
  text: '',
  content,
  sender,
  created_at: T(number),
  updated_at: T(number),
  attachments: [],
  files: [],
  parent_message_uuid: parent === null ? ROOT : uuid(parent),
  ...more,
});

export const beds = {
  uuid: BEDS,
  name: 'Raised beds',
  summary: 'How to build beds',
  created_at: T(0),
  updated_at: T(30),
  account: { uuid: uuid(99) },
  project: { uuid: GARDEN, name: 'Garden' },
  chat_messages: [
    message(10, null, 'human', [{ type: 'text', text: 'How deep? [[secret]]\n\nkey:: value' }], {
      attachments: [{ file_name: 'plan.txt', file_type: 'txt', file_size: 9, extracted_content: '30 cm\n[[x]]' }],
      files: [{ file_name: 'photo.jpg' }],
    }),
    message(11, 10, 'assistant', [{ type: 'text', text: 'An answer that was replaced.' }]),
    message(12, 10, 'assistant', [
      { type: 'thinking', thinking: 'Depth depends on roots.' },
      { type: 'text', text: 'Let me look.' },
      { type: 'tool_use', name: 'artifacts', input: { command: 'create', title: 'Bed', type: 'text/markdown', content: '# Bed\n[[x]]' } },
      { type: 'tool_result', name: 'artifacts', content: [{ type: 'text', text: 'OK' }] },
      { type: 'token_budget' },
      { type: 'text', text: '30 cm.', citations: [{ title: 'Beds', details: { type: 'web', url: 'https://example.org/beds' } }] },
    ]),
  ],
};

/** As older exports have it: no tree, no parts. */
export const old = {
  uuid: OLD,
  name: '',
  created_at: T(0),
  updated_at: T(1),
  chat_messages: [
    { uuid: uuid(20), text: 'Hello', sender: 'human', created_at: T(0) },
    { uuid: uuid(21), text: 'Hi <b>there</b>', sender: 'assistant', created_at: T(1) },
  ],
};

export const CLAUDE: Readonly<Record<string, string>> = {
  'conversations.json': JSON.stringify([beds, old]),
  'users.json': JSON.stringify([{ uuid: uuid(99), full_name: 'Ana' }]),
  [`projects/${GARDEN}.json`]: JSON.stringify({
    uuid: GARDEN,
    name: 'Garden',
    description: 'All of it',
    prompt_template: 'Answer as a gardener. #calm',
    created_at: T(0),
    updated_at: T(0),
    docs: [{ uuid: uuid(51), filename: 'soil.md', content: '# Soil\n\nLoam, see [[x]].', created_at: T(0) }],
  }),
  'memories/a.json': JSON.stringify({
    conversations_memory: '**Work**\n\nGardens.',
    project_memories: { [GARDEN]: 'Prefers oak.' },
    account_uuid: uuid(99),
  }),
};
