import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ATTACKS } from '../page/hostile.ts';
import { dangersIn } from '../support/render/dangers.ts';
import { render } from '../support/render/sources.ts';

const WRAPPERS: readonly ((attack: string) => string)[] = [
  (attack) => attack,
  (attack) => `> ${attack.replaceAll('\n', '\n> ')}`,
  (attack) => `- ${attack.replaceAll('\n', '\n  ')}`,
  (attack) => `# ${attack}`,
  (attack) => `| a |\n|---|\n| ${attack.replaceAll('\n', ' ').replaceAll('|', '\\|')} |`,
  (attack) => `> [!note] ${attack}`,
  (attack) => `[^1]\n\n[^1]: ${attack}`,
  (attack) => `**_${attack}_** ==${attack}== ~~${attack}~~`,
  (attack) => `<div>\n${attack}\n</div>`,
  (attack) => `<details><summary>${attack}</summary>\n\n${attack}\n\n</details>`,
  (attack) => `[${attack}](https://example.com "${attack}")`,
  (attack) => `![[other|${attack}]]\n\n![${attack}](other.png)`,
  (attack) => `$${attack}$\n\n$$\n${attack}\n$$`,
  (attack) => `\`\`\`${attack}\n${attack}\n\`\`\``,
];

describe('V-13 render: what comes out of hostile notes', () => {
  for (const [index, attack] of ATTACKS.entries()) {
    it(`V-13 attack ${index} becomes text, or nothing: ${JSON.stringify(attack.slice(0, 60))}`, () => {
      for (const wrap of WRAPPERS) {
        const { html, outline } = render(wrap(attack), { 'other.md': attack });
        expect(dangersIn(html), wrap(attack)).toEqual([]);
        for (const { id } of outline) expect(id).not.toMatch(/[<>"'\s]/);
      }
    });
  }

  it('V-13 links lead to notes, to files, to http and mail, and nowhere else', () => {
    const schemes = ['javascript', 'vbscript', 'data', 'file', 'blob', 'obsidian', 'vscode', 'about', 'ws', 'ftp', 'intent'];
    const written = schemes.flatMap((scheme) => [
      `[x](${scheme}:alert)`,
      `[x](<${scheme}:alert>)`,
      `[x](${scheme.toUpperCase()}:alert)`,
      `<${scheme}:alert>`,
      `<a href="${scheme}:alert">x</a>`,
      `<a href=" ${scheme}:alert">x</a>`,
      `[x][r]\n\n[r]: ${scheme}:alert`,
      `![x](${scheme}:alert)`,
    ]);
    for (const body of written) {
      const { html } = render(body);
      expect(dangersIn(html), body).toEqual([]);
      expect(html, body).not.toMatch(/href="\s*(?:javascript|vbscript|data|file|blob|about|ws|ftp|intent):/i);
    }
    expect(render('[x](https://a.b) [m](mailto:a@b.c)').html).toContain('href="https://a.b"');
  });

  it('V-13 property: no mix of Markdown and HTML makes anything that is not of the short list', () => {
    const pieces = [
      ...ATTACKS,
      ...'<a |<b |<p |<div |<img |<svg|<math|<style|<script|<table><td>|</table>|</a>|</p>|</div>|</script>|<!--|-->|<![CDATA[|]]>|href=|src=|onclick=|style=|id=|class=|"|\'|>|/>|javascript:|https://evil.example|&lt;|&#60;|&#x3c;script&#x3e;|[[|]]|![[|](|[|)|!|`|```|$|$$|%%|==|**|_|> |- |1. |# |[!note]-|[^1]|[^1]: |^[|| |\n|\n\n|    |\t|\\|a|é|漢|\u202e|\u0000|\ud800'.split(
        '|',
      ),
    ];
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 12 })), { maxLength: 30 }), (parts) => {
        const body = parts.join('');
        expect(dangersIn(render(body, { 'other.md': body }).html)).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });
});
