import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

const pad = (number: number): string => String(number).padStart(2, '0');

/** A day from now, as this machine's calendar has it. */
function day(offset = 0): { readonly iso: string; readonly year: string; readonly month: string } {
  const date = new Date();
  date.setDate(date.getDate() + offset);
  const [year, month] = [String(date.getFullYear()), pad(date.getMonth() + 1)];
  return { iso: `${year}-${month}-${pad(date.getDate())}`, year, month };
}

const DAILY = '---\ntags: [daily]\n---\n# {{date:dddd}} {{title}}\nMade {{date}} {{time:[at] HH}} {{other}} {{title:x}}\n\n## Log\n';

describe('periodic notes', () => {
  it('E-24 @today and kin lead where the settings of the vault say; a read makes nothing, the first write makes it from its template', () =>
    withVault(
      {
        '.obsidian/daily-notes.json': '{"folder": "Daily", "format": "YYYY/MM/YYYY-MM-DD", "template": "Templates/Daily"}',
        'Templates/Daily.md': DAILY,
        'Daily/2020/02/2020-02-29.md': 'Leap.\n',
        'elsewhere/2020-02-28.md': 'Not daily.\n',
      },
      (vault) =>
        withServer(vault, async ({ ask, refuse }) => {
          const { iso, year, month } = day();
          const path = `Daily/${year}/${month}/${iso}.md`;
          const before = vault.files();
          expect(await ask('get_node', { id: '@today' })).toBeNull();
          expect(await ask('get_node', { id: '@2020-02-28' })).toBeNull();
          expect((await ask('get_nodes', { ids: ['@2020-02-29', '@yesterday'] })).nodes).toEqual([
            expect.objectContaining({ content: 'Leap.\n' }),
            null,
          ]);
          expect((await refuse('get_node', { id: '@2021-02-29' })).error.message).toContain('no time that there is');
          expect((await refuse('update_node', { id: '@today', append: 'x', under: 'Nope' })).error.message).toContain('## Log');
          expect(vault.files()).toEqual(before);
          const made = await ask('update_node', { id: '@today', append: '- called Ada', under: 'Log', tags: ['calls'] });
          expect(made.path).toBe(path);
          const text = vault.read(path);
          expect(text).toContain('tags: [daily, calls]\n');
          expect(text).not.toMatch(/rev:|created/);
          const weekday = new Date(`${iso}T12:00`).toLocaleDateString('en', { weekday: 'long' });
          expect(text).toContain(
            `# ${weekday} ${iso}\nMade ${iso} at ${pad(new Date().getHours())} {{other}} {{title:x}}\n\n## Log\n- called Ada\n`,
          );
          await ask('update_node', { id: '@TODAY', append: '- again', under: 'Log' });
          expect(vault.read(path)).toContain('- called Ada\n- again\n');
          expect((await cli(['undo', made.batch, '--vault', vault.root])).status).toBe(3);
        }),
    ));

  it('E-24 a week is the one whose note has its number by the format, at the turn of the year too', () =>
    withVault({}, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        const pathOf = async (id: string): Promise<string> => (await ask('update_node', { id, append: 'x' })).path;
        for (const week of ['2027-W01', '2026-W52', '2025-W01', '2028-W53']) {
          expect(await pathOf(`@${week}`)).toBe(`${week}.md`);
          expect((await ask('get_node', { id: `@${week}` })).path).toBe(`${week}.md`);
        }
        for (const none of ['@2026-W53', '@2026-W54', '@2026-W00'])
          expect((await refuse('update_node', { id: none, append: 'x' })).error.message).toContain('no time that there is');
        vault.write('.rouxrc.json', '{"periodic": {"weekly": {"folder": "iso", "format": "[Week] GGGG-[W]WW"}}}');
        for (const week of ['2027-W01', '2026-W53', '2025-W01']) expect(await pathOf(`@${week}`)).toBe(`iso/Week ${week}.md`);
        const { default: moment } = await import('moment');
        const thisWeek = moment().format('GGGG-[W]WW');
        expect(await pathOf('@this-week')).toBe(`iso/Week ${thisWeek}.md`);
        expect((await refuse('update_node', { id: '@2025-W53', append: 'x' })).error.message).toContain('no time that there is');
      }),
    ));

  it('E-24 the plugin Periodic Notes, then .rouxrc.json, then the names that Obsidian gives; settings are followed while they change', () =>
    withVault({ '.rouxrc.json': '{"periodic": {"monthly": {"folder": "m", "format": "MMM YYYY"}}}' }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        const pathOf = async (id: string): Promise<string> => (await ask('update_node', { id, append: 'x' })).path;
        expect(await pathOf('@2026-11-22')).toBe('2026-11-22.md');
        expect(await pathOf('@2026-11')).toBe('m/Nov 2026.md');
        expect(await pathOf('@2026-W48')).toBe('2026-W48.md');
        vault.write(
          '.obsidian/plugins/periodic-notes/data.json',
          '{"weekly": {"enabled": true, "folder": "w", "format": "GGGG-[Week]WW"}, "daily": {"enabled": false, "folder": "never"}}',
        );
        expect(await pathOf('@2026-W48')).toBe('w/2026-Week48.md');
        expect(await pathOf('@2026-11-23')).toBe('2026-11-23.md');
        vault.write('.obsidian/daily-notes.json', '{"folder": "../out", "format": "YYYY"}');
        expect((await refuse('update_node', { id: '@today', append: 'x' })).error).toMatchObject({ code: 'INVALID_PARAMS' });
        vault.write('.obsidian/daily-notes.json', '{"folder": "d", "template": "gone"}');
        const made = await ask('update_node', { id: '@2026-11-24', append: 'x' });
        expect(made).toMatchObject({ path: 'd/2026-11-24.md', _warnings: [expect.stringContaining('"gone"')] });
      }),
    ));

  it('E-24 roux today shows the note, and adds to it', () =>
    withVault({}, async (vault) => {
      const missing = await cli(['today', '--vault', vault.root]);
      expect([missing.status, missing.stderr]).toEqual([1, 'roux today: There is no note for @today yet; "roux append" makes it.\n']);
      expect((await cli(['today', 'Called', 'Ada', '--vault', vault.root])).status).toBe(0);
      expect(vault.read(`${day().iso}.md`)).toBe('Called Ada\n');
      expect((await cli(['today', '--vault', vault.root])).stdout).toContain('Called Ada');
    }));
});

describe('templates', () => {
  const files = {
    '.obsidian/templates.json': '{"folder": "Templates", "dateFormat": "DD.MM.YYYY", "timeFormat": "[noon]"}',
    'Templates/Book.md': '---\ntype: book\ntags:\n  - books\nrating: 0\n---\n# {{title}}\n{{date}} {{time}} {{Date:YYYY}}\n',
  };

  it('E-25 create_node fills a template, with tags, properties and content besides; others stay as they are', () =>
    withVault(files, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        const { iso, year } = day();
        const given = {
          title: 'The Salt Road',
          template: 'Book',
          tags: ['to-read', 'books'],
          properties: { rating: 5 },
          content: 'By Ada.',
        };
        const made = await ask('create_node', { ...given, include_content: true });
        expect(made).toMatchObject({ type: 'book', tags: ['books', 'to-read'], properties: { rating: 5 } });
        const date = iso.split('-').toReversed().join('.');
        expect(vault.read(made.path)).toMatch(new RegExp(`# The Salt Road\n${date} noon ${year}\nBy Ada\\.\n$`));
        const before = vault.files();
        for (const [template, code] of [
          ['../secret', 'INVALID_PARAMS'],
          ['/etc/passwd', 'NODE_NOT_FOUND'],
          ['.obsidian/app', 'INVALID_PARAMS'],
          ['Nope', 'NODE_NOT_FOUND'],
        ] as const) {
          expect((await refuse('create_node', { title: 'X', template })).error.code, template).toBe(code);
        }
        expect(vault.files()).toEqual(before);
        expect((await cli(['new', 'Another', '--template', 'Templates/Book.md', '--vault', vault.root])).status).toBe(0);
        expect(vault.read('Another.md')).toContain('# Another\n');
      }),
    ));
});

describe('templates that say more', () => {
  it('E-25 what roux keeps of the template itself does not go along, and a title breaks no frontmatter', () =>
    withVault(
      {
        '.rouxrc.json': '{"filenames": "title"}',
        '.obsidian/daily-notes.json': '{"template": "T"}',
        'T.md':
          '---\nid: n_t\nrev: 4\ncreated_at: 2020-01-01\ncreated_by: me\nname: {{title}}\nquoted: "a {{title}}"\nsingle: \'{{title}}\'\n---\n# {{title}}\n',
      },
      (vault) =>
        withServer(vault, async ({ ask, refuse }) => {
          expect((await refuse('update_node', { id: '@2026-01-03', title: 'x' })).error.message).toContain('no note for @2026-01-03 yet');
          await ask('update_node', { id: '@2026-01-02', append: 'x' });
          expect(vault.read('2026-01-02.md')).toBe(
            '---\nname: 2026-01-02\nquoted: "a 2026-01-02"\nsingle: \'2026-01-02\'\n---\n# 2026-01-02\nx\n',
          );
          const title = `It's "A", b`;
          const made = await ask('create_node', { include_content: true, title, template: 'T' });
          expect(made.id).toBe(made.path);
          expect(made.properties).toMatchObject({ name: title, quoted: `a ${title}`, single: title });
          expect(made.rev).toBe(1);
        }),
    ));

  it('E-25 a title is one text wherever it stands in the frontmatter, whatever it says', () =>
    withVault(
      {
        'T.md':
          "---\nname: Rosa's {{title}} # of {{title}}\nplain: {{title}}\nl: [{{title}}, b, {{date:YYYY, MM}}]\nlong: >-\n  on {{title}}\nitems:\n  - {{title}}\n  - 'it''s {{title}}'\nm: {k: {{title}}}\nyear: {{date:YYYY}}\n---\n# {{title}}\n",
      },
      (vault) =>
        withServer(vault, async ({ ask }) => {
          const plain = await ask('create_node', { title: 'Plain', template: 'T' });
          expect(vault.read(plain.path)).toContain("# of Plain\nplain: Plain\nl: [Plain, b, '");
          for (const [at, title] of ["it's", 'b, c', '- x', 'He said "x"', '{x}', 'a - b', '@x!'].entries()) {
            const { id, path } = await ask('create_node', { title, directory: `o${at}`, template: 'T' });
            const { properties, content } = await ask('get_node', { id });
            expect(properties, title).toMatchObject({
              name: `Rosa's ${title}`,
              plain: title,
              l: [title, 'b', expect.stringMatching(/^\d{4}, \d\d$/)],
              long: `on ${title}`,
              items: [title, `it's ${title}`],
              m: { k: title },
              year: new Date().getFullYear(),
            });
            expect(content, title).toBe(`# ${title}\n`);
            expect(vault.read(path), title).toContain(`year: ${new Date().getFullYear()}\n`);
          }
        }),
    ));
});

describe('the places of new files', () => {
  it('E-26 newFileLocation and attachmentFolderPath say where what is made goes that nobody places; the next call follows a change', () =>
    withVault(
      { '.obsidian/app.json': '{"newFileLocation": "folder", "newFileFolderPath": "Inbox", "attachmentFolderPath": "Files"}' },
      (vault) =>
        withServer(
          vault,
          async ({ ask }) => {
            const bytes = { content: Buffer.from('\u0000png').toString('base64'), encoding: 'base64', format: 'png' };
            const { path } = await ask('create_node', { title: 'Idea' });
            expect(path).toBe('Inbox/Idea.md');
            expect((await ask('create_node', { title: 'Placed', directory: 'there' })).path).toBe('there/Placed.md');
            const { id } = await ask('create_node', { title: 'Picture', type: 'image', ...bytes });
            expect(vault.files()).toContain('Files/Picture.png');
            await ask('update_node', { id, ...bytes, content: Buffer.from('other').toString('base64') });
            expect(vault.files().filter((file) => file.startsWith('Files/'))).toEqual([
              expect.stringMatching(/^Files\/Picture-\w{8}\.png$/),
            ]);
            vault.write(
              '.obsidian/app.json',
              '{"newFileLocation": "root", "newFileFolderPath": "Inbox", "attachmentFolderPath": "./media"}',
            );
            expect((await ask('create_node', { title: 'Second' })).path).toBe('Second.md');
            await ask('create_node', { title: 'Below', directory: 'there', type: 'image', ...bytes });
            expect(vault.files()).toContain('there/media/Below.png');
            vault.write(
              '.obsidian/app.json',
              '{"newFileLocation": "folder", "newFileFolderPath": "../out", "attachmentFolderPath": "../../out"}',
            );
            expect((await ask('create_node', { title: 'Third', type: 'image', ...bytes })).path).toBe('Third.md');
            expect(vault.files()).toContain('Third.png');
          },
          { flags: ['--toolsets', 'all'] },
        ),
    ));
});
