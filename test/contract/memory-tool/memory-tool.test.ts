import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createMemoryTool } from '../../../src/faces/memory-tool/memory-tool.ts';
import type { MemoryTool } from '../../../src/faces/memory-tool/memory-tool.ts';
import { cli } from '../../support/program/cli.ts';
import { post, withServe } from '../../support/program/http-server.ts';
import { openTestHost } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault, VaultSource } from '../../support/vault.ts';

/** Runs with the tool over a folder of a vault. */
function withTool<T>(source: VaultSource, run: (tool: MemoryTool, vault: TestVault) => Promise<T>, folder?: string): Promise<T> {
  return withVault(source, async (vault) => {
    const host = openTestHost(vault);
    try {
      return await run(createMemoryTool(host, folder === undefined ? {} : { folder }), vault);
    } finally {
      await host.close();
    }
  });
}

/** What a command answers: its content, or the content of an error after "! ". */
async function tell(tool: MemoryTool, input: object): Promise<string> {
  const { content, is_error: isError } = await tool.execute(input);
  return isError ? `! ${content}` : content;
}

describe('O-05 the documented examples of the memory tool', () => {
  it('O-05 a conversation as the documentation has it, through files of every kind', () =>
    withTool(
      {
        'memories/customer_service_guidelines.xml':
          '<guidelines>\n<addressing_customers>\n- Always address customers by their first name\n',
        'memories/refund_policies.xml': '<refunds/>\n',
      },
      async (tool, vault) => {
        const ask = (input: object) => tell(tool, input);
        expect(await ask({ command: 'view', path: '/memories' })).toBe(
          [
            "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:",
            '94B\t/memories',
            '83B\t/memories/customer_service_guidelines.xml',
            '11B\t/memories/refund_policies.xml',
          ].join('\n'),
        );
        expect(await ask({ command: 'view', path: '/memories/customer_service_guidelines.xml' })).toBe(
          "Here's the content of /memories/customer_service_guidelines.xml with line numbers:\n     1\t<guidelines>\n     2\t<addressing_customers>\n     3\t- Always address customers by their first name\n     4\t",
        );
        const notes = 'Meeting notes:\n- Discussed project timeline\n- Next steps defined\n';
        expect(await ask({ command: 'create', path: '/memories/notes.txt', file_text: notes })).toBe(
          'File created successfully at: /memories/notes.txt',
        );
        expect(vault.read('memories/notes.txt')).toBe(notes);
        expect(await ask({ command: 'create', path: '/memories/notes.txt', file_text: 'x' })).toBe(
          '! Error: File /memories/notes.txt already exists',
        );
        await ask({ command: 'create', path: '/memories/preferences.txt', file_text: 'Name: Ada\nFavorite color: blue\nPet: cat\n' });
        expect(
          await ask({
            command: 'str_replace',
            path: '/memories/preferences.txt',
            old_str: 'Favorite color: blue',
            new_str: 'Favorite color: green',
          }),
        ).toBe(
          'The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\tName: Ada\n     2\tFavorite color: green\n     3\tPet: cat\n     4\t',
        );
        await ask({ command: 'create', path: '/memories/todo.txt', file_text: 'one\ntwo\nthree\n' });
        const insert = {
          command: 'insert',
          path: '/memories/todo.txt',
          insert_line: 2,
          insert_text: '- Review memory tool documentation\n',
        };
        expect(await ask(insert)).toBe('The file /memories/todo.txt has been edited.');
        expect(vault.read('memories/todo.txt')).toBe('one\ntwo\n- Review memory tool documentation\nthree\n');
        await ask({ command: 'create', path: '/memories/old_file.txt', file_text: '' });
        expect(await ask({ command: 'delete', path: '/memories/old_file.txt' })).toBe('Successfully deleted /memories/old_file.txt');
        await ask({ command: 'create', path: '/memories/draft.txt', file_text: 'Draft\n' });
        const rename = { command: 'rename', old_path: '/memories/draft.txt', new_path: '/memories/final.txt' };
        expect(await ask(rename)).toBe('Successfully renamed /memories/draft.txt to /memories/final.txt');
        expect(await ask({ command: 'view', path: '/memories/todo.txt', view_range: [2, 3] })).toBe(
          "Here's the content of /memories/todo.txt with line numbers:\n     2\ttwo\n     3\t- Review memory tool documentation",
        );
        expect(await ask({ command: 'view', path: '/memories/todo.txt', view_range: [4, -1] })).toContain('     4\tthree');
        expect(vault.files()).toEqual(
          ['customer_service_guidelines.xml', 'final.txt', 'notes.txt', 'preferences.txt', 'refund_policies.xml', 'todo.txt'].map(
            (name) => `memories/${name}`,
          ),
        );
      },
    ));

  it('O-05 every documented error, word for word', () =>
    withTool({ 'memories/a.txt': 'same\nother\nsame\n', 'memories/b.txt': '', 'memories/d/c.txt': '' }, async (tool) => {
      const none = '/memories/none.txt';
      for (const [input, told] of [
        [{ command: 'view', path: none }, `The path ${none} does not exist. Please provide a valid path.`],
        [{ command: 'create', path: '/memories/a.txt', file_text: '' }, 'Error: File /memories/a.txt already exists'],
        [
          { command: 'str_replace', path: none, old_str: 'a', new_str: 'b' },
          `Error: The path ${none} does not exist. Please provide a valid path.`,
        ],
        [
          { command: 'str_replace', path: '/memories/d', old_str: 'a', new_str: 'b' },
          'Error: The path /memories/d does not exist. Please provide a valid path.',
        ],
        [
          { command: 'str_replace', path: '/memories/a.txt', old_str: 'nowhere', new_str: 'b' },
          'No replacement was performed, old_str `nowhere` did not appear verbatim in /memories/a.txt.',
        ],
        [
          { command: 'str_replace', path: '/memories/a.txt', old_str: 'same', new_str: 'b' },
          'No replacement was performed. Multiple occurrences of old_str `same` in lines: 1, 3. Please ensure it is unique',
        ],
        [{ command: 'insert', path: none, insert_line: 0, insert_text: 'x' }, `Error: The path ${none} does not exist`],
        [{ command: 'insert', path: '/memories/d', insert_line: 0, insert_text: 'x' }, 'Error: The path /memories/d does not exist'],
        [
          { command: 'insert', path: '/memories/a.txt', insert_line: 9, insert_text: 'x' },
          'Error: Invalid `insert_line` parameter: 9. It should be within the range of lines of the file: [0, 4]',
        ],
        [{ command: 'delete', path: none }, `Error: The path ${none} does not exist`],
        [{ command: 'rename', old_path: none, new_path: '/memories/x.txt' }, `Error: The path ${none} does not exist`],
        [
          { command: 'rename', old_path: '/memories/a.txt', new_path: '/memories/b.txt' },
          'Error: The destination /memories/b.txt already exists',
        ],
        [{ command: 'rename', old_path: '/memories/a.txt', new_path: '/memories/d' }, 'Error: The destination /memories/d already exists'],
        [{ command: 'delete', path: '/memories' }, 'Error: Cannot delete the /memories directory itself'],
        [
          { command: 'create', path: '/memories/long.txt', file_text: '\n'.repeat(999_999) },
          'File /memories/long.txt exceeds maximum line limit of 999,999 lines.',
        ],
      ] as const)
        expect(await tell(tool, input), JSON.stringify(input).slice(0, 100)).toBe(`! ${told}`);
    }));

  it('O-05 plugs into the helper of the SDK: a tool that runs the handler of a command, with errors as thrown', () =>
    withTool({ 'memories/a.txt': 'A\n' }, async (handlers) => {
      // As `betaMemoryTool` and the runner of `@anthropic-ai/sdk` do it.
      const run = (args: { command: keyof MemoryTool }): Promise<unknown> => handlers[args.command].bind(handlers)(args as object);
      const outcome = async (args: object): Promise<{ content: unknown; isError: boolean }> => {
        try {
          return { content: await run(args as { command: keyof MemoryTool }), isError: false };
        } catch (error) {
          return { content: `Error: ${(error as Error).message}`, isError: true };
        }
      };
      expect(await outcome({ command: 'view', path: '/memories/a.txt' })).toEqual({
        content: "Here's the content of /memories/a.txt with line numbers:\n     1\tA\n     2\t",
        isError: false,
      });
      expect(await outcome({ command: 'create', path: '/memories/a.txt', file_text: '' })).toEqual({
        content: 'Error: File /memories/a.txt already exists',
        isError: true,
      });
      expect(await outcome({ command: 'delete', path: '/memories/a.txt' })).toMatchObject({ isError: false });
    }));
});

describe('O-05 the memory tool in a vault', () => {
  it('O-05 links follow a rename, also of a folder, each command is one write in the history, and undo takes it back', () =>
    withTool(
      {
        'memories/ada.md': '---\ntitle: Ada\nrev: 3\n---\nKnows [[bob]].\n',
        'memories/people/bob.md': 'Likes tea.\n',
        'Index.md': 'See [[ada]], [[memories/people/bob]] and ![[list.txt]].\n',
        'memories/list.txt': 'x\n',
      },
      async (tool, vault) => {
        const before = vault.read('Index.md');
        const batches: string[] = [];
        const rename = async (from: string, to: string): Promise<void> => {
          const done = await tool.execute({ command: 'rename', old_path: `/memories/${from}`, new_path: `/memories/${to}` });
          expect(done).toMatchObject({ is_error: false, batch: expect.any(String) });
          batches.unshift(done.batch ?? '');
        };
        await rename('ada.md', 'people/ada-lovelace.md');
        expect(vault.read('Index.md')).toContain('[[ada-lovelace');
        expect(vault.read('memories/people/ada-lovelace.md')).toBe('---\ntitle: Ada\nrev: 3\n---\nKnows [[bob]].\n');
        await rename('list.txt', 'list.md');
        expect(vault.read('Index.md')).toMatch(/!\[\[list(\.md)?\]\]/);
        await rename('people', 'friends');
        expect(vault.read('Index.md')).toContain('[[memories/friends/bob]]');
        expect(await tell(tool, { command: 'view', path: '/memories' })).toMatch(
          /B\t\/memories\/friends\/\n.*\/friends\/ada-lovelace\.md\n/,
        );
        for (const batch of batches) expect(await cli(['undo', batch, '--vault', vault.root])).toMatchObject({ status: 0 });
        expect(vault.read('Index.md')).toBe(before);
        expect(vault.read('memories/list.txt')).toBe('x\n');
        expect(vault.read('memories/ada.md')).toContain('Knows [[bob]].');
      },
    ));

  it('O-05 an edit leaves every other byte: frontmatter, line ends, a byte-order mark; one that breaks the frontmatter is refused', () =>
    withTool(
      { 'memories/a.md': '\uFEFF---\r\n# mine\r\ntags: [x]   # kept\r\n---\r\nOne\r\nTwo\r\n', 'memories/b.md': 'no end' },
      async (tool, vault) => {
        await tool.str_replace({ path: '/memories/a.md', old_str: 'One\nTwo', new_str: 'One\nand a half\nTwo' });
        await tool.insert({ path: '/memories/a.md', insert_line: 4, insert_text: 'Zero\n' });
        expect(vault.read('memories/a.md')).toBe(
          '\uFEFF---\r\n# mine\r\ntags: [x]   # kept\r\n---\r\nZero\r\nOne\r\nand a half\r\nTwo\r\n',
        );
        const kept = vault.read('memories/a.md');
        expect(await tell(tool, { command: 'str_replace', path: '/memories/a.md', old_str: '[x]', new_str: '[x' })).toMatch(
          /^! Error: The properties at the beginning of \/memories\/a\.md could not be read after this change/,
        );
        expect(vault.read('memories/a.md')).toBe(kept);
        await tool.insert({ path: '/memories/b.md', insert_line: 1, insert_text: 'more' });
        expect(vault.read('memories/b.md')).toBe('no end\nmore');
        await tool.str_replace({ path: '/memories/b.md', old_str: 'no end\n' });
        expect(vault.read('memories/b.md')).toBe('more');
        await tool.str_replace({ path: '/memories/b.md', old_str: 'more', new_str: "$& $1 $'" });
        expect(vault.read('memories/b.md')).toBe("$& $1 $'");
      },
    ));

  it('O-05 deleting a folder removes what is in it, into the trash, and says nothing of what lies beside it', () =>
    withTool(
      { 'memories/old/a.md': 'A\n', 'memories/old/deep/b.txt': 'B\n', 'memories/older.md': 'C\n', 'x.md': '[[a]]\n' },
      async (tool, vault) => {
        const { batch = '' } = await tool.execute({ command: 'delete', path: '/memories/old/' });
        expect(vault.files()).toEqual(['memories/older.md', 'x.md']);
        expect(vault.exists('memories/old')).toBe(false);
        expect((await cli(['undo', batch, '--vault', vault.root])).status).toBe(0);
        expect(vault.read('memories/old/deep/b.txt')).toBe('B\n');
      },
    ));

  it('O-05 works in another folder, and begins where there is none yet', () =>
    withTool(
      { 'a.md': 'A\n' },
      async (tool, vault) => {
        expect(await tool.view({ path: '/memories' })).toBe(
          "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n0B\t/memories",
        );
        await tool.create({ path: '/memories/deep/er/x.json', file_text: '{}' });
        expect(vault.read('agents/claude/deep/er/x.json')).toBe('{}');
        // What an editor saves is seen at once.
        vault.write('agents/claude/deep/note.md', 'Hello\n');
        expect(await tool.view({ path: '/memories/deep/note.md' })).toContain('     1\tHello');
      },
      'agents/claude',
    ));

  it('O-05 refuses every way out of the folder, and writes nothing', () =>
    withTool({ 'secret.md': 'secret\n', 'memories/a.md': 'A\n', 'memories/Case.md': 'x\n' }, async (tool, vault) => {
      symlinkSync('../secret.md', vault.path('memories/link.md'));
      mkdirSync(vault.path('other'));
      writeFileSync(vault.path('other/private.txt'), 'secret\n');
      symlinkSync('../other', vault.path('memories/way'));
      const files = vault.files();
      const paths = [
        '/memories/../secret.md',
        '/memories/./../secret.md',
        '/memories/%2e%2e/secret.md',
        '/memories/..%2fsecret.md',
        '/memories/..\\secret.md',
        '/memories//secret.md',
        '/memoriesx/a.md',
        '/Memories/a.md',
        'memories/a.md',
        '/secret.md',
        '/etc/passwd',
        'C:\\x',
        '',
        '/memories/.git/config',
        '/memories/.roux/x',
        '/memories/node_modules/x.md',
        '/memories/a\u0000.md',
        '/memories/link.md',
        '/memories/way/private.txt',
        '/memories/CASE.md',
        '/memories/git~1/x',
        '/memories/x.md::$DATA',
        `/memories/${'x/'.repeat(200)}y.md`,
        7,
        null,
        ['/memories/a.md'],
      ];
      for (const path of paths) {
        for (const input of [
          { command: 'view', path },
          { command: 'create', path, file_text: 'x' },
          { command: 'str_replace', path, old_str: 'secret', new_str: 'x' },
          { command: 'insert', path, insert_line: 0, insert_text: 'x' },
          { command: 'delete', path },
          { command: 'rename', old_path: path, new_path: '/memories/new.md' },
          { command: 'rename', old_path: '/memories/a.md', new_path: path },
        ]) {
          const told = await tell(tool, input).catch((error: unknown) => `! ${String(error)}`);
          expect(told, JSON.stringify(input)).toMatch(/^! /);
          expect(told).not.toContain('secret\n');
        }
      }
      expect(vault.files()).toEqual(files);
      expect([vault.read('secret.md'), vault.read('other/private.txt'), vault.read('memories/Case.md')]).toEqual([
        'secret\n',
        'secret\n',
        'x\n',
      ]);
    }));

  it('O-05 a name is found in whichever Unicode form the disk has it, and two of them are one name', () =>
    withTool({ 'memories/cafe\u0301/e\u0301.md': 'A\n' }, async (tool, vault) => {
      expect(await tool.view({ path: '/memories' })).toContain('/memories/caf\u00e9/\u00e9.md');
      expect(await tool.view({ path: '/memories/caf\u00e9/\u00e9.md' })).toContain('     1\tA');
      expect(await tell(tool, { command: 'create', path: '/memories/caf\u00e9/\u00e9.md', file_text: '' })).toContain('already exists');
      await tool.str_replace({ path: '/memories/caf\u00e9/\u00e9.md', old_str: 'A', new_str: 'B' });
      expect(vault.read('memories/cafe\u0301/e\u0301.md')).toBe('B\n');
      await tool.delete({ path: '/memories/caf\u00e9' });
      expect(vault.files()).toEqual([]);
    }));

  it('O-05 what the vault refuses is told with the paths that the model knows', () =>
    withTool({ 'memories/a.md': 'A\n', 'memories/d/b.md': 'B\n' }, async (tool) => {
      expect(await tell(tool, { command: 'create', path: '/memories/a.md/b.md', file_text: '' })).toMatch(/^! Error: "\/memories\/a\.md"/);
      expect(await tell(tool, { command: 'rename', old_path: '/memories/d', new_path: '/memories/d/e' })).toContain('/memories/d/e');
    }));

  it.each(['a', 'a/', 'data/a'])('O-05 a folder %s whose name is part of another name is named in its place alone', (folder) =>
    withTool(
      { 'a/data/x.md': 'X\n', 'data/a/data/x.md': 'X\n' },
      async (tool) =>
        expect(await tell(tool, { command: 'rename', old_path: '/memories/data', new_path: '/memories/data/in' })).toBe(
          '! Error: The folder /memories/data cannot be moved into itself (/memories/data/in). Choose a folder outside of it.',
        ),
      folder,
    ),
  );

  it('O-05 of calls at once each happens after the other: one of them creates a file, and no line is lost', () =>
    withTool({}, async (tool, vault) => {
      const made = await Promise.all(
        ['1', '2', '3'].map((text) => tool.execute({ command: 'create', path: '/memories/a.md', file_text: text })),
      );
      expect(made.filter(({ is_error: isError }) => !isError)).toHaveLength(1);
      await Promise.all(
        ['x', 'y', 'z'].map((text) => tool.execute({ command: 'insert', path: '/memories/a.md', insert_line: 0, insert_text: text })),
      );
      expect(vault.read('memories/a.md').split('\n').toSorted()).toEqual([expect.stringMatching(/^[123]$/), 'x', 'y', 'z']);
    }));

  it('O-05 odd input is told, as are files that are no text, too large or too long', () =>
    withTool({ 'memories/a.md': 'A\n', 'memories/b.bin': Buffer.from([0xff, 0xfe, 0x00]) }, async (tool, vault) => {
      for (const odd of [
        null,
        'view',
        [],
        {},
        { command: 'drop' },
        { command: 'constructor' },
        { command: 'create', path: '/memories/x.md' },
      ])
        expect(await tool.execute(odd)).toMatchObject({ is_error: true, content: expect.stringMatching(/^Error: /) });
      expect(await tell(tool, { command: 'view', path: '/memories/b.bin' })).toContain('is not text in UTF-8');
      expect(await tell(tool, { command: 'create', path: '/memories/x.md', file_text: 'x'.repeat(1_000_001) })).toContain('maximum size');
      expect(await tell(tool, { command: 'create', path: '/memories/x.md', file_text: '\ud800' })).toContain('half of a character');
      expect(await tell(tool, { command: 'create', path: '/memories/con.md', file_text: '' })).toContain('cannot be used');
      for (const range of [[0.5, 2], [5, 9], [2, 1], 'x', [1]])
        expect(await tell(tool, { command: 'view', path: '/memories/a.md', view_range: range })).toContain('Invalid `view_range`');
      vault.write('memories/long.txt', 'a line\n'.repeat(20_000));
      const shown = await tell(tool, { command: 'view', path: '/memories/long.txt' });
      expect(shown.length).toBeLessThan(130_000);
      const [, next = ''] = /view_range: \[(\d+), 20001\]/.exec(shown) ?? [];
      expect(await tell(tool, { command: 'view', path: '/memories/long.txt', view_range: [Number(next), 20_001] })).toContain(
        `${next}\ta line`,
      );
    }));
});

describe('O-05 POST /memory-tool', () => {
  it('O-05 answers what belongs into the tool result, with the rights of the token', () =>
    withVault({ 'memories/a.md': 'A\n', 'team/b.md': 'B\n' }, async (vault) => {
      const tokens = await Promise.all(
        [
          ['reader', '--scope', 'read'],
          ['team', '--scope', 'write', '--folders', 'team'],
        ].map(async (args) => (await cli(['token', 'add', ...args, '--vault', vault.root, '--json'])).stdout),
      );
      const [reader, team] = tokens.map((text) => (JSON.parse(text) as { token: string }).token);
      await withServe(
        vault,
        [],
        async ({ url, port }) => {
          const call = async (input: unknown, token: string | undefined, query = '') => {
            const headers = { Authorization: `Bearer ${token ?? ''}`, 'Content-Type': 'application/json' };
            const { status, body } = await post(port, { path: `/memory-tool${query}`, headers, body: JSON.stringify(input) });
            return { status, body: JSON.parse(body) as Record<string, unknown> };
          };
          expect(await call({ command: 'view', path: '/memories/a.md' }, reader)).toMatchObject({
            status: 200,
            body: { content: "Here's the content of /memories/a.md with line numbers:\n     1\tA\n     2\t", is_error: false },
          });
          expect(await call({ command: 'view', path: '/memories/x' }, reader)).toMatchObject({
            status: 200,
            body: { content: 'The path /memories/x does not exist. Please provide a valid path.', is_error: true },
          });
          expect(await call({ command: 'delete', path: '/memories/a.md' }, reader)).toMatchObject({ status: 403 });
          expect(await call({ command: 'view', path: '/memories/a.md' }, team)).toMatchObject({ body: { is_error: true } });
          expect((await call({ command: 'create', path: '/memories/n.md', file_text: 'x' }, team)).status).toBeGreaterThanOrEqual(400);
          expect(await call({ command: 'create', path: '/memories/n.md', file_text: 'x' }, team, '?folder=team')).toMatchObject({
            status: 200,
            body: { content: 'File created successfully at: /memories/n.md', is_error: false, batch: expect.any(String) },
          });
          expect(await call({ command: 'view', path: '/memories' }, team, '?folder=../x')).toMatchObject({ status: 400 });
          expect(await call({ command: 'view', path: '/memories' }, 'wrong')).toMatchObject({ status: 401 });
          const asText = await fetch(`${url}/memory-tool`, {
            method: 'POST',
            body: '{}',
            headers: { Authorization: `Bearer ${reader ?? ''}` },
          });
          expect(asText.status).toBe(400);
          expect((await fetch(`${url}/memory-tool`, { headers: { Authorization: `Bearer ${reader ?? ''}` } })).status).toBe(405);
        },
        { ROUX_HTTP_AUTH: 'token' },
      );
      expect(vault.files()).toEqual(['memories/a.md', 'team/b.md', 'team/n.md']);
    }));
});
