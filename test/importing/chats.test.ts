import { expect, it } from 'vitest';
import { Assets } from '../../src/importing/chats/chatgpt/assets.ts';
import { showMessage } from '../../src/importing/chats/chatgpt/message.ts';
import { Tally } from '../../src/importing/imported.ts';
import { cli } from '../support/program/cli.ts';
import { withVault } from '../support/vault.ts';
import { makeZip } from './make-zip.ts';
import { countChanges, importInto, runImport, unresolvedIn } from './run-import.ts';
import { CHATGPT } from './samples/chatgpt.ts';
import { CLAUDE } from './samples/claude.ts';

it('O-06 an export of ChatGPT becomes notes: what the user saw, other versions, tools, files by their names', () =>
  withVault(CHATGPT, (source) =>
    withVault({ 'My note.md': 'x\n' }, async (vault) => {
      const done = await importInto(vault, source.root);
      expect(done).toMatchObject({ written: true, from: 'chatgpt', into: 'ChatGPT', unchanged: 0 });
      expect(countChanges(done)).toEqual({ new: 3 });
      expect(done.left).toEqual([]);
      expect(vault.files()).toEqual([
        'ChatGPT/2024/Compost & worms.md',
        'ChatGPT/2024/The shed.md',
        'ChatGPT/Other files.md',
        'ChatGPT/attachments/file-dalle7-11.png',
        'ChatGPT/attachments/question.wav',
        'ChatGPT/attachments/worm.png',
        'My note.md',
      ]);
      const worms = vault.read('ChatGPT/2024/Compost & worms.md');
      expect(worms).toMatchInlineSnapshot(`
        "---
        id: n_6pre7fnpr4aadl86mb6ob6fkcg
        created: 2024-05-01T07:53:20.000Z
        updated: 2024-05-01T08:53:20.000Z
        url: https://chatgpt.com/c/66325f30-0000-4000-8000-000000000001
        model: gpt-5
        archived: true
        origin: import
        imported:
          from: chatgpt
          id: 66325f30-0000-4000-8000-000000000001
          source: 0a9d2c43f93507fb
          body: d0281b3fb998bbf1
          properties: created:997e6f1d updated:b57cf266 url:1587e9ba model:8e5489c9 archived:b5bea41b title:1f1e6c69
        ---
        > [!hidden]- You (hidden) · 2024-05-01 07:53 UTC
        > A gardener
        >
        > Be brief

        > [!user] You · 2024-05-01 07:53 UTC
        > How do I *start*? See \\[\\[secret]] \\#tag
        > - \\[ ] buy worms

        > [!thinking]- Thoughts · 2024-05-01 07:53 UTC
        > Worms
        >
        > They eat peels.

        > [!tool]- ChatGPT to python · 2024-05-01 07:53 UTC
        > \`\`\`python
        > print("[[x]]")
        > \`\`\`

        > [!tool]- Tool · 2024-05-01 07:53 UTC
        > \`\`\`
        > [[x]]
        > \`\`\`

        > [!assistant] ChatGPT · gpt-5 · 2024-05-01 07:53 UTC
        > Use a box ([wiki](https://example.org/worms)).
        >
        > \`\`\`text dataviewjs
        > dv.pages()
        > \`\`\`

        > [!user] You · 2024-05-01 07:53 UTC
        > ![[ChatGPT/attachments/worm.png]]
        >
        > Is this one?
        >
        > *(a file that is not in the export: lost.pdf)*

        > [!assistant] ChatGPT · 2024-05-01 07:53 UTC
        > \`\`\`json
        > {
        >   "content_type": "hologram",
        >   "beam": "blue"
        > }
        > \`\`\`

        ## Other versions

        ### Version 1, after message 2

        > [!assistant] ChatGPT · 2024-05-01 07:53 UTC
        > First version
        "
      `);
      expect(vault.read('ChatGPT/2024/The shed.md')).toContain('> Which paint?\n>\n> ![[ChatGPT/attachments/question.wav]]\n');
      expect(done.changed).toMatchObject({ 'files that are not in the export': 1, 'parts of unknown kinds as JSON': 1 });
      expect(await unresolvedIn(vault)).toEqual([]);
    }),
  ));

it('O-06 citations of ChatGPT are links also where no text is given for them, and marks that cite nothing stay text', () => {
  const page = { title: 'Worms [1]', url: 'https://example.org/worms?a=b' };
  const shown = (mark: string, reference: object): string | undefined =>
    showMessage(
      {
        author: { role: 'assistant' },
        content: { content_type: 'text', parts: [`See ${mark}.`] },
        metadata: { content_references: [{ matched_text: mark, ...reference }] },
      },
      { tally: new Tally(), files: new Set(), assets: new Assets({ files: [], left: [], name: '', close: () => Promise.resolve() }) },
    )[0]?.body;
  const [mark, link] = ['\ue200cite\ue202turn0search0\ue201', '[Worms 1](https://example.org/worms?a=b)'];
  expect(shown(mark, { alt: '([wiki](https://example.org))' })).toBe('See ([wiki](https://example.org)).');
  expect(shown(mark, { alt: null, items: [page, page] })).toBe(`See (${link}, ${link}).`);
  expect(shown(mark, { alt: null, items: [{ ...page, url: 'javascript:alert(1)' }] })).toBe('See .');
  expect(shown('【3†source】', { type: 'webpage', ...page })).toBe(`See (${link}).`);
  expect(shown('【4:0†notes.pdf】', { type: 'file', name: 'notes.pdf' })).toBe('See (notes.pdf).');
  expect(shown('【重要】', { matched_text: 'x' })).toBe('See 【重要】.');
});

it('O-06 an export of Claude becomes notes: conversations, projects with documents, and what Claude remembers', () =>
  withVault({ 'claude.zip': makeZip(CLAUDE) }, (source) =>
    withVault({ 'My note.md': 'x\n' }, async (vault) => {
      const done = await importInto(vault, source.path('claude.zip'));
      expect(done).toMatchObject({ from: 'claude', into: 'Claude', left: [] });
      expect(vault.files()).toEqual([
        'Claude/2026/Raised beds.md',
        'Claude/2026/Untitled chat.md',
        'Claude/Projects/Garden/Garden.md',
        'Claude/Projects/Garden/soil.md',
        'Claude/What Claude remembers.md',
        'My note.md',
      ]);
      expect(vault.read('Claude/2026/Raised beds.md')).toMatchInlineSnapshot(`
        "---
        id: n_bml2ng4a5clh2p0mtsj3ci7scn
        created: 2026-03-01T10:00:00.000Z
        updated: 2026-03-01T10:30:00.000Z
        url: https://claude.ai/chat/0195a1b2-0000-4000-8000-000000000001
        project: "[[Garden]]"
        description: How to build beds
        origin: import
        imported:
          from: claude
          id: 0195a1b2-0000-4000-8000-000000000001
          source: eb86388b12ef62f4
          body: a6390f9cbf94d0bd
          properties: created:9bcfc912 updated:c8269c13 url:afb09e9e project:2e9ccb7d description:d9ec1f2f title:b8545027
        ---
        > [!user] You · 2026-03-01 10:10 UTC
        > How deep? \\[\\[secret]]
        >
        > key:\\: value
        >
        > **plan.txt**
        >
        > \`\`\`
        > 30 cm
        > [[x]]
        > \`\`\`
        >
        > *(a file that is not in the export: photo.jpg)*

        > [!thinking]- Thoughts
        > Depth depends on roots.

        > [!assistant] Claude · 2026-03-01 10:12 UTC
        > Let me look.

        > [!tool]- Claude to artifacts
        > \`\`\`json
        > {
        >   "command": "create",
        >   "title": "Bed",
        >   "type": "text/markdown"
        > }
        > \`\`\`
        >
        > \`\`\`markdown
        > # Bed
        > [[x]]
        > \`\`\`

        > [!tool]- Tool artifacts
        > \`\`\`
        > OK
        > \`\`\`

        > [!assistant] Claude · 2026-03-01 10:12 UTC
        > 30 cm.
        >
        > Sources: [Beds](<https://example.org/beds>)

        ## Other versions

        ### Version 1, after message 1

        > [!assistant] Claude · 2026-03-01 10:11 UTC
        > An answer that was replaced.
        "
      `);
      expect(vault.read('Claude/2026/Untitled chat.md')).toContain('> Hi \\<b>there\\</b>');
      expect(vault.read('Claude/Projects/Garden/Garden.md')).toContain('- [[soil]]');
      expect(vault.read('Claude/What Claude remembers.md')).toContain('## [[Garden]]\n\n> [!memory] From its chats\n> Prefers oak.');
      expect(await unresolvedIn(vault)).toEqual([]);
      const again = await importInto(vault, source.path('claude.zip'));
      expect(again).toMatchObject({ notes: [], unchanged: 5, batches: [] });
    }),
  ));

it('O-06 archives of Claude by category, in a folder, are one export; a project that is not in it is named', () =>
  withVault(
    {
      'conversations-000.zip': makeZip({ 'conversations.json': CLAUDE['conversations.json'] ?? '' }),
      'memories-000.zip': makeZip({ 'memories/a.json': CLAUDE['memories/a.json'] ?? '' }),
      'light_metadata-000.zip': makeZip({ 'users.json': '[]' }),
    },
    (source) =>
      withVault({}, async (vault) => {
        const done = await importInto(vault, source.root);
        expect(countChanges(done)).toEqual({ new: 3 });
        expect(done.notes.filter(({ path }) => /^project: Garden$/m.test(vault.read(path)))).toHaveLength(1);
      }),
  ));

it('O-06 nothing is written before somebody agreed, and --dry-run shows what would be', () =>
  withVault(CHATGPT, (source) =>
    withVault({ 'a.md': 'x\n' }, async (vault) => {
      for (const options of [[], ['--dry-run'], ['--dry-run', '--yes']]) {
        const { status, stdout, stderr } = await runImport(vault, source.root, ...options);
        expect([status, vault.files()]).toEqual([0, ['a.md']]);
        expect(stdout).toContain('3 notes to make');
        expect(stderr).toContain('Nothing is written yet. Add --yes to write it into the vault.');
      }
      const { batches } = await importInto(vault, source.root);
      expect((await cli(['undo', batches[0] ?? '', '--vault', vault.root])).status).toBe(0);
      expect(vault.files()).toEqual(['a.md']);
      // What an undo took back is no deletion.
      expect(countChanges(await importInto(vault, source.root))).toEqual({ new: 3 });
      expect(vault.files()).toContain('ChatGPT/attachments/file-dalle7-11.png');
    }),
  ));
