import { lstatSync, symlinkSync } from 'node:fs';
import { expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withVault } from '../../support/vault.ts';

const BEGIN = '<!-- begin roux -->';

it.each([
  ['no file', undefined],
  ['a text', '# Mine\n\nText.\n'],
  ['one without a line end at its end', '# Mine'],
  ['one with the line ends of Windows', '# Mine\r\n\r\nText.\r\n'],
  ['one with a byte-order mark', '\uFEFF# Mine\n'],
  ['a byte-order mark alone', '\uFEFF'],
  ['one that shows the marks in an indented block', `# Mine\n\n    ${BEGIN}\n    text\n    <!-- end roux -->\n`],
  ['one with a fence in a code block', `\`\`\`md\n\`\`\`js\n${BEGIN}\n\`\`\`\n`],
  ['one that shows the marks in a code block', `# Mine\n\n\`\`\`md\n${BEGIN}\n\`\`\`\n`],
])('O-04 roux init --agents writes its section beside %s, once, and takes it out again to the byte', (_, before) =>
  withVault(before === undefined ? { 'a.md': 'A\n' } : { 'AGENTS.md': before }, async (vault) => {
    const first = await cli(['init', vault.root, '--agents']);
    expect(first).toMatchObject({ status: 0, stdout: expect.stringContaining('wrote AGENTS.md') });
    expect(first.stdout).not.toContain('--agents');
    const written = vault.read('AGENTS.md');
    expect(written.startsWith(before ?? BEGIN)).toBe(true);
    expect(written).toContain('graph_handoff');
    const ends = new Set(written.match(/\r?\n/g));
    expect([...ends]).toEqual([before?.includes('\r') === true ? '\r\n' : '\n']);
    expect((await cli(['init', vault.root, '--agents'])).stdout).not.toContain('AGENTS.md\n');
    expect(vault.read('AGENTS.md')).toBe(written);
    expect(await cli(['init', vault.root, '--remove-agents'])).toMatchObject({ status: 0, stdout: 'wrote AGENTS.md\n' });
    expect(vault.read('AGENTS.md')).toBe(before ?? '');
    expect((await cli(['init', vault.root, '--remove-agents'])).stdout).toBe('AGENTS.md has no section of roux.\n');
  }),
);

it('O-04 a text with line ends of both kinds is the same to the byte afterwards', () =>
  withVault({ 'AGENTS.md': '# Mine\r\nText.\n' }, async (vault) => {
    await cli(['init', vault.root, '--agents']);
    await cli(['init', vault.root, '--remove-agents']);
    expect(vault.read('AGENTS.md')).toBe('# Mine\r\nText.\n');
  }));

it('O-04 no section is written into a code block without an end', () =>
  withVault({ 'AGENTS.md': '# Mine\n\n```\ncode\n' }, async (vault) => {
    expect(await cli(['init', vault.root, '--agents'])).toMatchObject({ status: 1, stdout: expect.stringContaining('without an end') });
    expect(vault.read('AGENTS.md')).toBe('# Mine\n\n```\ncode\n');
  }));

it('O-04 a section stays where somebody put it, is brought up to date there, and what they wrote around it stays', () =>
  withVault({ 'AGENTS.md': `# Mine\n\n${BEGIN}\nold\n<!-- end roux -->\n\nMore of mine.\n` }, async (vault) => {
    await cli(['init', vault.root, '--agents']);
    expect(vault.read('AGENTS.md')).toMatch(/^# Mine\n\n<!-- begin roux -->\n## The vault\n[^]*\n<!-- end roux -->\n\nMore of mine\.\n$/);
    await cli(['init', vault.root, '--remove-agents']);
    expect(vault.read('AGENTS.md')).toBe('# Mine\n\nMore of mine.\n');
  }));

it('O-04 without --agents no AGENTS.md is written, and one that is a link or has odd marks is left alone, with the lines to add', async () => {
  await withVault({ 'a.md': 'A\n' }, async (vault) => {
    await cli(['init', vault.root]);
    expect(vault.exists('AGENTS.md')).toBe(false);
  });
  for (const odd of [`${BEGIN}\n`, `<!-- end roux -->\n${BEGIN}\n`, `${BEGIN}\n<!-- end roux -->\n${BEGIN}\n<!-- end roux -->\n`])
    await withVault({ 'AGENTS.md': odd }, async (vault) => {
      expect(await cli(['init', vault.root, '--agents'])).toMatchObject({ status: 1, stdout: expect.stringContaining('are no pair') });
      expect(vault.read('AGENTS.md')).toBe(odd);
    });
  await withVault({ 'CLAUDE.md': '# Mine\n' }, async (vault) => {
    symlinkSync('CLAUDE.md', vault.path('AGENTS.md'));
    expect(await cli(['init', vault.root, '--agents'])).toMatchObject({ status: 1, stdout: expect.stringContaining(BEGIN) });
    expect([vault.read('CLAUDE.md'), lstatSync(vault.path('AGENTS.md')).isSymbolicLink()]).toEqual(['# Mine\n', true]);
  });
});

it('O-04 a CLAUDE.md that is a link to AGENTS.md still is one, and shows the section', () =>
  withVault({ 'AGENTS.md': '# Mine\n' }, async (vault) => {
    symlinkSync('AGENTS.md', vault.path('CLAUDE.md'));
    await cli(['init', vault.root, '--agents']);
    expect(lstatSync(vault.path('CLAUDE.md')).isSymbolicLink()).toBe(true);
    expect(vault.read('CLAUDE.md')).toContain(BEGIN);
  }));
