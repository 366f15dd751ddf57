import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, renameSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasPostgres, useStore } from '../../support/postgres/store.ts';
import { settled, withMachines } from '../../support/postgres/machine.ts';
import type { SharedMachine } from '../../support/postgres/machine.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Both have a file that says this. */
async function bothHave(machines: readonly SharedMachine[], path: string, text: string): Promise<void> {
  for (const { folder } of machines)
    await waitFor(() => folder.exists(path) && folder.read(path).includes(text), { what: `${path} with ${text}` });
}

const allTexts = ({ folder }: SharedMachine): string =>
  folder
    .files()
    .map((path) => folder.read(path))
    .join('\n');

describe.skipIf(!hasPostgres)('people and tools on several machines', () => {
  const store = useStore();

  it('P-03 claims, singletons, keys and versions: one winner among machines', () =>
    withMachines(store, ['anna', 'ben', 'cleo'], async (machines) => {
      const [anna] = machines;
      await anna!.ask('graph_open', { project: 'fence' });
      await anna!.ask('graph_plan', {
        nodes: [{ ref: 'one', parent_ref: (await anna!.ask('graph_open', { project: 'fence' })).root.id, summary: 'Paint the fence' }],
      });
      await settled(machines);
      const claims = await Promise.all(machines.map((machine) => machine.ask('graph_next', { project: 'fence', claim: true })));
      expect(claims.filter((claim) => JSON.stringify(claim).includes('Paint the fence'))).toHaveLength(1);

      const made = await Promise.all(
        machines.map((machine) =>
          machine.ask('create_entities', { entities: [{ name: 'Otto', entityType: 'person', observations: [`met ${machine.name}`] }] }),
        ),
      );
      expect(made.flat().length).toBeGreaterThan(0);
      await settled(machines);
      expect(anna!.folder.files().filter((path) => /otto/i.test(path))).toHaveLength(1);

      const { id, etag } = await anna!
        .ask('create_node', { title: 'Once', content: 'a\n' })
        .then(async () => anna!.ask('get_node', { id: 'Once' }));
      await settled(machines);
      const writes = await Promise.allSettled(
        machines.map((machine) => machine.ask('update_node', { id, content: `of ${machine.name}\n`, if_match: etag })),
      );
      expect(writes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(writes.flatMap((write) => (write.status === 'rejected' ? [(write.reason as { code?: string }).code] : []))).toEqual([
        'CONFLICT',
        'CONFLICT',
      ]);
    }));

  it('P-04 a rename with its links here while others edit the notes that link: no link is lost', () =>
    withMachines(store, ['anna', 'ben'], async (machines) => {
      const [anna, ben] = machines;
      await anna!.ask('create_node', { title: 'Target', content: 'Here.\n' });
      for (let index = 0; index < 8; index += 1)
        await anna!.ask('create_node', { title: `Linker ${index}`, content: `See [[Target]].\n\nEnd.\n` });
      await settled(machines);
      for (let index = 0; index < 8; index += 2) ben!.folder.write(`Linker ${index}.md`, `By hand.\n\nSee [[Target]].\n\nEnd.\n`);
      await Promise.all([
        anna!.ask('rename', { changes: [{ from: 'Target', to: 'Goal' }] }),
        ...[1, 3, 5].map((index) => ben!.ask('update_node', { id: `Linker ${index}`, append: 'By a tool.' })),
      ]);
      await waitFor(
        () => anna!.folder.files().filter((path) => path.startsWith('Linker') && anna!.folder.read(path).includes('By hand')).length === 4,
        {
          what: 'the edits of a person',
        },
      );
      await settled(machines);
      for (let index = 0; index < 8; index += 1) expect(anna!.folder.read(`Linker ${index}.md`)).toContain('See [[Goal]].');
      for (const index of [1, 3, 5]) expect(ben!.folder.read(`Linker ${index}.md`)).toContain('By a tool.');
    }));

  it('P-05 two machines rename towards one name: one wins, the other gets an error, nothing is lost', () =>
    withMachines(store, ['anna', 'ben'], async (machines) => {
      const [anna, ben] = machines;
      await anna!.ask('create_node', { title: 'One', content: 'first\n' });
      await anna!.ask('create_node', { title: 'Two', content: 'second\n' });
      await settled(machines);
      const renamed = await Promise.allSettled([
        anna!.ask('rename', { changes: [{ from: 'One', to: 'Name' }] }),
        ben!.ask('rename', { changes: [{ from: 'Two', to: 'Name' }] }),
      ]);
      expect(renamed.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      await settled(machines);
      expect(allTexts(anna!)).toContain('first');
      expect(allTexts(anna!)).toContain('second');
      expect(anna!.folder.files()).toHaveLength(2);
    }));

  it('P-06 people edit one note on three machines: merged where possible, else a conflict copy is named, and no word is lost', () =>
    withMachines(store, ['anna', 'ben', 'cleo'], async (machines) => {
      const [anna, ben, cleo] = machines;
      anna!.folder.write('Note.md', '---\ncolour: red\n---\none\n\ntwo\n\nthree\n\nfour\n\nfive\n');
      await bothHave(machines, 'Note.md', 'five');
      anna!.folder.write('Note.md', '---\ncolour: green\n---\none\n\ntwo\n\nthree\n\nfour\n\nfive\n');
      ben!.folder.write('Note.md', '---\ncolour: red\nsize: 3\n---\none of ben\n\ntwo\n\nthree\n\nfour\n\nfive\n');
      cleo!.folder.write('Note.md', '---\ncolour: red\n---\none\n\ntwo\n\nthree\n\nfour\n\nfive of cleo\n');
      for (const word of ['green', 'size: 3', 'one of ben', 'five of cleo']) await bothHave(machines, 'Note.md', word);
      expect(Object.keys(await settled(machines))).toEqual(['Note.md']);

      anna!.folder.write('Note.md', 'all of anna\n');
      ben!.folder.write('Note.md', 'all of ben\n');
      cleo!.folder.write('Note.md', 'all of cleo\n');
      await waitFor(
        () => machines.every((machine) => ['anna', 'ben', 'cleo'].every((name) => allTexts(machine).includes(`all of ${name}`))),
        {
          what: 'every word on every machine',
        },
      );
      const files = Object.keys(await settled(machines));
      expect(files).toHaveLength(3);
      expect(files.filter((path) => path.includes('.sync-conflict-'))).toHaveLength(2);
    }));

  it('P-07 what is deleted on one machine and edited on the other lives on', () =>
    withMachines(store, ['anna', 'ben'], async (machines) => {
      const [anna, ben] = machines;
      anna!.folder.write('Kept.md', 'before\n');
      anna!.folder.write('Gone.md', 'before\n');
      await bothHave(machines, 'Gone.md', 'before');
      await bothHave(machines, 'Kept.md', 'before');
      await ben!.restart(() => ben!.folder.write('Kept.md', 'before\n\nedited by ben\n'));
      await Promise.all([anna!.ask('delete_node', { id: 'Kept' }), anna!.ask('delete_node', { id: 'Gone' })]);
      await bothHave(machines, 'Kept.md', 'edited by ben');
      const files = await settled(machines);
      expect(Object.keys(files)).toEqual(['Kept.md']);
    }));

  it('P-08 attachments, canvases, bases, empty files, 8 MiB and a byte, names of every script', () =>
    withMachines(store, ['anna', 'ben'], async (machines) => {
      const [anna, ben] = machines;
      const large = randomBytes(8 * 1024 * 1024 + 1);
      const names: Readonly<Record<string, string | Uint8Array>> = {
        'empty.md': '',
        'pictures/large.bin': large,
        'board.canvas': '{"nodes":[],"edges":[]}',
        'table.base': 'views:\n  - type: table\n',
        'Ünï çödé/日本語 ノート.md': '知識\n',
        'العربية/ملاحظة.md': 'نص\n',
        'emoji 🌱/🌿.md': 'leaf\n',
        'quote\'s & "double" #1 100%.md': 'signs\n',
      };
      for (const [path, content] of Object.entries(names)) anna!.folder.write(path, content);
      await waitFor(() => Object.keys(names).every((path) => ben!.folder.exists(path)), { what: 'every file' });
      await settled(machines);
      expect(ben!.folder.readBytes('pictures/large.bin').equals(large)).toBe(true);
      for (const [path, content] of Object.entries(names)) expect(ben!.folder.readBytes(path).equals(Buffer.from(content))).toBe(true);
    }));

  it('P-08 a link in the place of a file, and a file too large to be read whole, hold nothing else up and remove nothing elsewhere', () =>
    withMachines(store, ['anna', 'ben'], async (machines) => {
      const [anna, ben] = machines;
      anna!.folder.write('Note.md', 'before\n');
      await bothHave(machines, 'Note.md', 'before');
      rmSync(anna!.folder.path('Note.md'));
      symlinkSync('Other.md', anna!.folder.path('Note.md'));
      anna!.folder.write('huge.bin', '');
      truncateSync(anna!.folder.path('huge.bin'), 300 * 1024 * 1024);
      anna!.folder.write('Other.md', 'after\n');
      await waitFor(() => ben!.folder.exists('Other.md'), { what: 'what came after' });
      await waitFor(async () => anna!.vault.health.reports.some((report) => report.startsWith('huge.bin is not shared')), {
        what: 'the report',
      });
      expect(ben!.folder.read('Note.md')).toBe('before\n');
      expect(ben!.folder.exists('huge.bin')).toBe(false);
    }));

  it('P-12 a machine that was away pulls everything at once; one whose commits are no longer in the feed makes copies, and overwrites nothing', () =>
    withMachines(store, ['anna', 'ben'], async (machines, vault = 'away') => {
      const [anna, ben] = machines;
      await anna!.ask('create_node', { title: 'Shared', content: 'start\n' });
      await settled(machines);
      await ben!.restart();
      await settled(machines);
      void vault;
      await ben!.vault.close();
      for (let turn = 0; turn < 40; turn += 1) await anna!.ask('update_node', { id: 'Shared', append: `turn-${turn}.` });
      await anna!.ask('rename', { changes: [{ from: 'Shared', to: 'Renamed' }] });
      ben!.folder.write('Own.md', 'of ben\n');
      await ben!.restart();
      await waitFor(() => ben!.folder.exists('Renamed.md') && anna!.folder.exists('Own.md'), { what: 'what each did meanwhile' });
      await settled(machines);
      expect(ben!.folder.read('Renamed.md')).toContain('turn-39.');
      const history = await ben!.ask('list_nodes', {});
      expect(history.total).toBe(2);
    }));

  it('P-13 several commits that arrive at once are reported one by one, and each can be undone', () =>
    withMachines(store, ['anna', 'ben'], async (machines) => {
      const [anna, ben] = machines;
      await anna!.ask('create_node', { title: 'Plan', content: 'first\n' });
      await settled(machines);
      await ben!.restart(async () => {
        await anna!.ask('create_node', { title: 'One', content: 'of anna\n' });
        await anna!.ask('update_node', { id: 'Plan', append: 'second' });
        await anna!.ask('create_node', { title: 'Two', content: 'of anna\n' });
      });
      await settled(machines);
      const told = async (id: string): Promise<readonly { agent: string; action: string; batch: string }[]> =>
        ((await ben!.ask('history', { id })) as { events: { agent: string; action: string; batch: string }[] }).events;
      expect((await told('One')).map(({ agent, action }) => [agent, action])).toEqual([['anna', 'created']]);
      // The newest comes first.
      expect((await told('Plan'))[0]).toMatchObject({ agent: 'anna', action: 'updated' });
      await ben!.ask('undo', { batch: (await told('One'))[0]?.batch });
      expect(ben!.folder.files()).toEqual(['Plan.md', 'Two.md']);
      await ben!.ask('undo', { batch: (await told('Plan'))[0]?.batch });
      await settled(machines);
      expect(anna!.folder.read('Plan.md')).not.toContain('second');
      expect(anna!.folder.read('Plan.md')).toContain('first');
    }));

  it('P-14 a store that was restored to an earlier moment takes nothing from a folder that stood further', () =>
    withMachines(store, ['anna', 'ben'], async (machines) => {
      const [anna, ben] = machines;
      await anna!.ask('create_node', { title: 'One', content: 'at first\n' });
      await settled(machines);
      await ben!.restart(() => {
        const standing = lastStanding(ben!);
        // As after another history of as many commits, and of fewer.
        ben!.folder.write('.roux/shared.jsonl', `${JSON.stringify({ ...standing, batch: 'of another history' })}\n`);
        ben!.folder.write('One.md', 'of the other history\n');
      });
      await waitFor(() => anna!.folder.files().some((path) => path.startsWith('One.sync-conflict-')), { what: 'the copy' });
      await ben!.restart(() => {
        const standing = lastStanding(ben!);
        ben!.folder.write('.roux/shared.jsonl', `${JSON.stringify({ ...standing, seq: 1000, batch: null })}\n`);
        ben!.folder.write('Two.md', 'only here\n');
      });
      await waitFor(() => anna!.folder.exists('Two.md'), { what: 'what is only here' });
      await settled(machines);
      expect(allTexts(anna!)).toContain('at first');
      expect(allTexts(anna!)).toContain('of the other history');
    }));

  it('P-14 a folder that was changed, emptied or restored while no roux ran is compared, and nothing is taken for a deletion', () =>
    withMachines(store, ['anna', 'ben'], async (machines) => {
      const [anna, ben] = machines;
      for (const name of ['One', 'Two', 'Three']) await anna!.ask('create_node', { title: name, content: `${name} at first.\n` });
      await settled(machines);
      const backup = mkdtempSync(join(tmpdir(), 'roux-backup-'));
      try {
        await ben!.restart(() => cpSync(ben!.folder.root, backup, { recursive: true }));
        await anna!.ask('update_node', { id: 'One', append: 'Later.' });
        await bothHave(machines, 'One.md', 'Later.');
        // The whole folder as it was, with where it stood.
        await ben!.restart(() => {
          for (const path of ben!.folder.files()) rmSync(ben!.folder.path(path));
          rmSync(ben!.folder.path('.roux'), { recursive: true });
          cpSync(backup, ben!.folder.root, { recursive: true });
        });
        await bothHave(machines, 'One.md', 'Later.');
        // A disk that came back empty, and one file that a person saved.
        await ben!.restart(() => {
          rmSync(ben!.folder.path('Two.md'));
          renameSync(ben!.folder.path('Three.md'), ben!.folder.path('Third.md'));
          ben!.folder.write('One.md', `${ben!.folder.read('One.md')}\nBy hand.\n`);
        });
        await bothHave(machines, 'One.md', 'By hand.');
        await bothHave(machines, 'Two.md', 'Two at first.');
        await settled(machines);
        expect(allTexts(anna!)).toContain('Three at first.');
        // Nobody knows any more where it stood.
        await ben!.restart(() => {
          rmSync(ben!.folder.path('.roux'), { recursive: true });
          ben!.folder.write('Two.md', 'Something else.\n');
        });
        await waitFor(() => anna!.folder.files().some((path) => path.startsWith('Two.sync-conflict-')), {
          what: 'the copy of what was there',
        });
        await settled(machines);
        expect(allTexts(anna!)).toContain('Something else.');
        expect(allTexts(anna!)).toContain('Two at first.');
      } finally {
        rmSync(backup, { recursive: true, force: true });
      }
    }));
});

/** Where the folder of a machine stands, as it says last. */
function lastStanding(machine: SharedMachine): object {
  return JSON.parse(machine.folder.read('.roux/shared.jsonl').trim().split('\n').at(-1) ?? '') as object;
}
