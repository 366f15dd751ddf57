import { bombObjects, HEAD_COMMIT, makeRepository, writePack } from '../../git/bombs.ts';
import { putFile, putFolder } from '../ground.ts';
import type { Ground, Plant } from '../ground.ts';

/** What scanners, parsers and patterns repeat over. */
const PUMPS = [
  ' ',
  '\t',
  '\n',
  ' \n',
  '[',
  '[[',
  '![[a|',
  '](',
  '[](',
  '[^a]: ',
  '`',
  '` ``',
  '*',
  '*_',
  '_a',
  '~~',
  '==',
  '$',
  '$$ ',
  '%%',
  '%% %',
  '<',
  '<a ',
  '<!--',
  '<a="',
  '&',
  '&#',
  '\\',
  '> ',
  '>- ',
  '- ',
  '1. ',
  '#',
  '# ',
  '#a/',
  '|',
  '|-',
  '\n|a|b',
  '^a',
  '://',
  'www.',
  'a@',
  'a.',
  '(',
  '"',
  "''",
  '{',
  '{a: ',
  ', ',
  'a  ,',
  '? ',
  '&a *a ',
  '!!a ',
  '@2026-',
  '%20',
  '📅 ',
  '\u0301',
  '\u200d',
];

const FRAMES: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `# Heading ${text}\n\nend\n`,
  (text) => `- [ ] ${text}\n`,
  (text) => `---\ntitle: ${text}\n---\n`,
  (text) => `---\ntitle: "${text}\n---\n`,
  (text) => `---\ntags: [${text}{b}]\n---\n`,
  (text) => `---\naliases:\n  - ${text}\n---\n`,
  (text) => `---\n${text}\n---\n[[ada]]\n`,
  (text) => `## Observations\n\n- ${text}\n`,
  (text) => `## Relations\n\n- knows [[${text}]]\n`,
  (text) => `---\ntype: episode\n---\n${text}\n`,
  (text) => `\`\`\`base\n${text}\n\`\`\`\n`,
  (text) => `| a | b |\n|---|---|\n| ${text} |\n`,
];

/** A text of one or two pieces in a row, with another at its end; short, long, or as long as a note may be. */
function pumped({ random, scale }: Ground): string {
  const pump = random.pick(PUMPS) + (random.chance(0.4) ? random.pick(PUMPS) : '');
  const length = random.pick(scale > 1 ? [30, 300, 20_000, 1_000_000, 9_000_000] : [30, 300, 20_000, 200_000]);
  return pump.repeat(Math.ceil(length / pump.length)) + random.pick(['', 'x', '\u0001', ']', ']]', '}']);
}

/** What takes superlinear time, or memory, in a parser or pattern that is not made for it. */
export const slowPlants: readonly Plant[] = [
  {
    name: 'slow: notes of one thing over and over',
    plant: (ground) => {
      const { random } = ground;
      for (let count = 0; count < 5; count += 1) {
        const extension = random.pick(['md', 'md', 'md', 'md', 'base', 'canvas']);
        putFile(ground, `target/slow-${count}.${extension}`, random.pick(FRAMES)(pumped(ground)));
      }
    },
  },
  {
    name: 'slow: patterns of files to leave out',
    plant: (ground) => {
      const { random } = ground;
      const pieces = ['a/', '**/', '*', '*a', '?', '[a-z]', '[!a]', '\\*', 'b', '/**', '{a,b}', '(a+)+', '.*', '(?=a)', '(a|a)*'];
      const pattern = (): string => Array.from({ length: random.pick([3, 12, 60]) }, () => random.pick(pieces)).join('');
      const patterns = Array.from({ length: random.pick([1, 100, 200]) }, pattern);
      putFile(ground, `${'a/'.repeat(60)}deep.md`, 'Deep.\n');
      putFile(ground, `${'a'.repeat(200)}.md`, 'Long.\n');
      if (random.chance(0.4)) putFile(ground, '.rouxrc.json', JSON.stringify({ ignore: patterns.slice(0, 100) }));
      else if (random.chance(0.5)) putFile(ground, '.gitignore', patterns.join('\n'));
      else
        putFile(
          ground,
          '.obsidian/app.json',
          JSON.stringify({ userIgnoreFilters: patterns.map((text) => (random.chance(0.5) ? `/${text}/` : text)) }),
        );
    },
  },
  {
    name: 'slow: a git pack that claims gigabytes',
    plant: (ground) => {
      const what = ground.random.pick(['blob', 'tree', 'commit'] as const);
      putFolder(ground, '.git');
      writePack(makeRepository(ground.vault, HEAD_COMMIT), bombObjects(what));
      return what;
    },
  },
];
