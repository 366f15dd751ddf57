import { describe, expect, it } from 'vitest';
import { completeLines, MERGE_ATTRIBUTES, VAULT_ATTRIBUTES } from '../../../src/ops/care/git-files.ts';
import { cli } from '../../support/program/cli.ts';
import { hasGit, withGitVault } from '../../support/git.ts';
import { lookAt } from '../../support/outside.ts';

const ROUX = '*.md merge=roux';
const HISTORY = '.roux/history/*.jsonl merge=union';

describe('lines that git needs in a file of people', () => {
  const complete = (before: string, file = MERGE_ATTRIBUTES): unknown => {
    const completion = completeLines(Buffer.from(before, 'latin1'), file);
    if (completion === null) return null;
    const { addition, contradicted } = completion;
    return [Buffer.from(addition).toString('latin1'), ...contradicted.map(({ by }) => by)];
  };
  const both = (eol = '\n'): string => [ROUX, HISTORY, ''].join(eol);

  it.each([
    ['', [both()]],
    ['*.png binary\n', [both()]],
    ['*.png binary', [`\n${both()}`]],
    ['*.png binary\r\n', [both('\r\n')]],
    ['*.png binary\r\n*.jpg binary', [`\r\n${both('\r\n')}`]],
    ['*.png binary\n*.jpg binary\r\n', [both('\r\n')]],
    ['*.png binary\r\n*.jpg binary\n', [both()]],
    ['# caf\u00e9 \u00ff\n', [both()]],
    [both(), ['']],
    [both('\r\n'), ['']],
    [`  *.md\t merge=roux  text\n${HISTORY}`, ['']],
    [`\u00ef\u00bb\u00bf${both()}`, ['']],
    [`# ${ROUX}\n`, [both()]],
    [`* merge=roux\n${HISTORY}\n`, ['']],
    ['* text=auto\n*.md diff=markdown\n', [both()]],
    ['*.jsonl merge=union\n', [both()]],
    ['*.lock -merge\n/docs/readme.txt merge=ours\n!*.md merge=x\n', [both()]],
  ])('are added once, with the ends of lines that are there: %j', (before, wanted) => {
    expect(complete(before)).toEqual(wanted);
  });

  it.each([
    ['*.md merge=union\n', [`${HISTORY}\n`, '*.md merge=union']],
    ['*.md -merge\n', [`${HISTORY}\n`, '*.md -merge']],
    ['*.md !merge\n', [`${HISTORY}\n`, '*.md !merge']],
    ['*.md merge\n', [`${HISTORY}\n`, '*.md merge']],
    ['*.md binary\n', [`${HISTORY}\n`, '*.md binary']],
    ['*.MD merge=union\n', [`${HISTORY}\n`, '*.MD merge=union']],
    ['[attr]mine -diff merge=ours\n*.md mine\n', [`${HISTORY}\n`, '*.md mine']],
    ['"a note.md" merge=ours\n', [`${HISTORY}\n`, '"a note.md" merge=ours']],
    ['archive/** -merge\n', [`${HISTORY}\n`, 'archive/** -merge']],
    ['*.m[d] merge=ours\n', ['', '*.m[d] merge=ours', '*.m[d] merge=ours']],
    ['*d merge=ours\n', [`${HISTORY}\n`, '*d merge=ours']],
    ['readme.md merge=ours\n', [`${HISTORY}\n`, 'readme.md merge=ours']],
    [`${ROUX}\n* merge=union\n`, ['', '* merge=union']],
    [`${ROUX}\n*.md -merge\n${HISTORY}\n`, ['', '*.md -merge']],
    [`*.md -merge\n${ROUX}\n${HISTORY}\n`, ['']],
    // An exception below our line is somebody's own.
    [`${ROUX}\n${HISTORY}\ntemplates/*.md merge=ours\n`, ['']],
    ['*.jsonl filter=lfs diff=lfs merge=lfs -text\n', [`${ROUX}\n`, '*.jsonl filter=lfs diff=lfs merge=lfs -text']],
    ['* -merge\n', ['', '* -merge', '* -merge']],
    ['.roux/** -merge\n', ['', '.roux/** -merge', '.roux/** -merge']],
  ])('are not added where somebody said the contrary: %j', (before, wanted) => {
    expect(complete(before)).toEqual(wanted);
  });

  it('are not added to what git could not read', () => {
    for (const bytes of [
      Buffer.from('\uFEFF*.md text\n', 'utf16le'),
      Buffer.from('*.md text\n', 'utf16le'),
      Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]),
    ]) {
      expect(completeLines(bytes, VAULT_ATTRIBUTES)).toBeNull();
    }
  });

  it('are not ignored twice, and stay out where somebody took them back', () => {
    const file = { path: '.roux/.gitignore', lines: ['cache/', 'run/', 'history/keys/'] };
    expect(complete('run/\r\n', file)).toEqual(['cache/\r\nhistory/keys/\r\n']);
    expect(complete('cache/\nrun/\n!/history/keys\n', file)).toEqual(['', '!/history/keys']);
    expect(complete('cache/\nrun/\nhistory/keys/\n!*\n', file)).toEqual(['', '!*', '!*', '!*']);
  });
});

describe.skipIf(!hasGit)('roux git install in files of people', () => {
  it('keeps every byte, adds its lines once, and tells what contradicts', () =>
    withGitVault({ 'a.md': 'A\n', '.gitattributes': Buffer.from('# caf\u00e9\r\n*.md merge=union', 'latin1') }, async (vault) => {
      const first = await cli(['git', 'install', '--vault', vault.root]);
      expect(first.status).toBe(1);
      expect(first.stdout).toContain('left .gitattributes as it is: the line "*.md merge=union" in it says the contrary.');
      expect(first.stdout).toContain(`\n  ${ROUX}\n`);
      expect(vault.readBytes('.gitattributes').toString('latin1')).toBe(`# caf\u00e9\r\n*.md merge=union\r\n${HISTORY}\r\n`);
      const before = lookAt(vault.root);
      const second = await cli(['git', 'install', '--vault', vault.root, '--json']);
      expect(JSON.parse(second.stdout)).toMatchObject({ written: [], left: [{ file: '.gitattributes', add: ROUX }] });
      expect(lookAt(vault.root)).toEqual(before);
    }));

  it('leaves what is no text, and says what belongs there', () =>
    withGitVault({ 'a.md': 'A\n', '.gitattributes': Buffer.from('*.md text\n', 'utf16le') }, async (vault) => {
      const { status, stdout } = await cli(['git', 'install', '--vault', vault.root]);
      expect(status).toBe(1);
      expect(stdout).toContain('is no text that git could read');
      expect(stdout).toContain(`  ${ROUX}\n  ${HISTORY}\n`);
      expect(vault.readBytes('.gitattributes')).toEqual(Buffer.from('*.md text\n', 'utf16le'));
    }));
});
