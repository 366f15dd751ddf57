import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { putFifo, putFile, putFolder, putLink, putOdd, putSparse } from '../ground.ts';
import type { Ground, Plant } from '../ground.ts';
import { hostileJson, hostilePaths } from '../strings.ts';

/** Configurations that hold, and reach for what they should not. */
function someConfiguration(ground: Ground): string {
  const { random } = ground;
  const outward = random.pick(hostilePaths(ground));
  return JSON.stringify(
    random.pick<object>([
      { readOnly: true },
      { toolsets: ['vault'] },
      { toolsets: ['nothing'], tools: ['get_node', '__proto__'] },
      { tools: ['no_such_tool'] },
      { agent: '\u001b[31mroot' },
      { agent: 'x'.repeat(5_000) },
      { ignore: ['*', '!**', '../**', '/', '[', '(a+)+$'.repeat(50)] },
      { ignore: Array.from({ length: 2_000 }, (_, at) => `**/${'*'.repeat(20)}${at}`) },
      { tasks: { root: outward } },
      { memory: { root: outward } },
      { tasks: { root: 'out-folder' } },
      { memory: { root: 'victim' } },
      { tasks: { root: 'memory' }, memory: { root: 'memory' } },
      { trashDays: 0.000_000_1 },
      { trashDays: 1e308 },
      { durability: 'relaxed' },
      { filenames: 'title', ids: 'always' },
      { repairExternalRenames: 'fix' },
      { links: { format: 'absolute', markdown: true } },
      { memory: { relations: 'enforce', envelope: 'enforce', redactSecrets: true } },
      { ontology: { protectedTypes: ['person', '__proto__'], singletons: ['person', 'x'] } },
      { http: { host: '0.0.0.0', port: 1 } },
      { http: { token: 'a planted token of 32 characters', auth: 'token', origins: ['*', 'null'] } },
      { http: { maxRequestBytes: 1024, maxSessions: 1, sessionIdleMinutes: 1e-9 } },
      { log: 'info' },
      { log: 'error' },
      { __proto__: { readOnly: true }, constructor: 1 },
      { nonsense: '\u001b]0;title\u0007' },
    ]),
  );
}

/** Settings of roux, of Obsidian and of git that came with the folder. */
export const settingPlants: readonly Plant[] = [
  {
    name: 'settings: .rouxrc.json that holds',
    plant: (ground) => {
      const text = someConfiguration(ground);
      putFile(ground, '.rouxrc.json', text);
      return text.slice(0, 200);
    },
  },
  {
    name: 'settings: .rouxrc.json of other shapes',
    plant: (ground) => {
      const text = hostileJson(ground.random);
      putFile(ground, '.rouxrc.json', text);
      return JSON.stringify(text.slice(0, 100));
    },
  },
  {
    name: 'settings: .rouxrc.json that is no file',
    plant: (ground) => putOdd(ground, '.rouxrc.json'),
  },
  {
    name: 'settings: .rouxrc.json that is huge',
    isCostly: true,
    plant: (ground) => {
      if (ground.random.chance(0.5)) putSparse(ground, '.rouxrc.json', ground.random.pick([10 * 2 ** 20, 5 * 2 ** 30]), '{}');
      else putFile(ground, '.rouxrc.json', JSON.stringify({ ignore: Array.from({ length: 500_000 }, (_, at) => `pattern-${at}`) }));
    },
  },
  {
    name: 'settings: .obsidian/app.json of other shapes',
    plant: (ground) => {
      const text = ground.random.pick([
        () => hostileJson(ground.random),
        () =>
          JSON.stringify({
            userIgnoreFilters: ['/(a+)+$/', '/[/', '../', '', '/.*/'.repeat(500)],
            newLinkFormat: '../outside',
            useMarkdownLinks: 'x',
          }),
        () => JSON.stringify({ userIgnoreFilters: ['/'] }),
        () => JSON.stringify({ attachmentFolderPath: '../outside', newFileFolderPath: '/etc', userIgnoreFilters: { length: 1e9 } }),
        () => JSON.stringify({ userIgnoreFilters: Array.from({ length: 20_000 }, (_, at) => `/(x+x+)+${at}/`) }),
      ])();
      putFile(ground, '.obsidian/app.json', text);
      return JSON.stringify(text.slice(0, 100));
    },
  },
  {
    name: 'settings: .obsidian/app.json that is no file',
    plant: (ground) => putOdd(ground, ground.random.pick(['.obsidian/app.json', '.obsidian'])),
  },
  {
    name: 'git: a repository that runs programs',
    plant: (ground) => {
      const marker = join(ground.outside, 'executed-by-git');
      const touch = `touch '${marker}'`;
      putFile(
        ground,
        '.git/config',
        [
          '[core]\n\trepositoryformatversion = 0',
          `\tfsmonitor = ${touch}; false`,
          `\thooksPath = ${ground.vault}/.git/hooks\n\tpager = ${touch}\n\teditor = ${touch}\n\tsshCommand = ${touch}`,
          `[diff]\n\texternal = ${touch}`,
          `[alias]\n\tconfig = !${touch}\n\trev-parse = !${touch}`,
          `[filter "x"]\n\tclean = ${touch}\n\tsmudge = ${touch}`,
          `[include]\n\tpath = ${join(ground.outside, 'private.md')}`,
        ].join('\n'),
      );
      putFile(ground, '.git/HEAD', 'ref: refs/heads/main\n');
      for (const name of ['post-checkout', 'pre-commit', 'post-index-change', 'reference-transaction'])
        putFile(ground, `.git/hooks/${name}`, `#!/bin/sh\n${touch}\n`);
      putFolder(ground, '.git/objects');
      putFolder(ground, '.git/refs');
      putFile(ground, '.gitattributes', '* filter=x diff=x merge=x\n');
    },
  },
  {
    name: 'git: at work for ever',
    plant: (ground) => {
      const { random, vault } = ground;
      putFile(ground, '.git/HEAD', 'ref: refs/heads/main\n');
      for (const name of ['index.lock', 'HEAD.lock', 'MERGE_HEAD', 'index']) putFile(ground, `.git/${name}`, '');
      for (const name of ['rebase-merge', 'rebase-apply']) putFolder(ground, `.git/${name}`);
      const time = random.pick([Date.now() / 1_000, Date.now() / 1_000 + 5, 4_102_444_800, 0]);
      utimesSync(join(vault, '.git/index.lock'), time, time);
      return `index.lock of ${new Date(time * 1_000).toISOString()}`;
    },
  },
  {
    name: 'git: a file or something else',
    plant: (ground) => {
      const { random, outside } = ground;
      if (random.chance(0.3)) return putOdd(ground, '.git');
      if (random.chance(0.2)) {
        putFile(ground, '.git/x', '');
        return `${putOdd(ground, '.git/HEAD')}, ${putOdd(ground, '.git/index.lock')}`;
      }
      const text = random.pick([
        `gitdir: ${outside}`,
        'gitdir: ../outside',
        'gitdir: \u0000',
        `gitdir: ${'../'.repeat(1_000)}`,
        'gitdir: /dev',
        'x',
        `gitdir: ${'x'.repeat(4_000)}`,
      ]);
      putFile(ground, '.git', `${text}\n`);
      return JSON.stringify(text.slice(0, 80));
    },
  },
  {
    name: 'git: ignore files',
    plant: (ground) => {
      const { random } = ground;
      for (const path of ['.gitignore', '.gitattributes', 'target/.gitignore'])
        if (random.chance(0.5)) putOdd(ground, path);
        else putFile(ground, path, random.pick(['*\n', `${'[a-'.repeat(5_000)}\n`, '\u0000\n', hostileJson(random)]));
    },
  },
  {
    name: 'clients: configurations that are links',
    plant: (ground) => {
      const { random, outside } = ground;
      for (const path of [
        '.mcp.json',
        '.cursor/mcp.json',
        '.vscode/mcp.json',
        '.gemini/settings.json',
        '.zed/settings.json',
        'opencode.json',
      ]) {
        const how = random.below(4);
        if (how === 0) putLink(ground, path, join(outside, 'linked.md'));
        else if (how === 1) putFifo(ground, path);
        else if (how === 2) putFile(ground, path, hostileJson(random));
        else if (path.includes('/') && random.chance(0.5)) putLink(ground, path.slice(0, path.indexOf('/')), join(outside, 'folder'));
      }
    },
  },
];
