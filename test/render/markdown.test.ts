import { describe, expect, it } from 'vitest';
import { render } from '../support/render/sources.ts';

const html = (body: string, others: Record<string, string> = {}): string => render(body, others).html;

describe('render: Markdown as Obsidian shows it', () => {
  it('links: notes with heading and alias, files, nothing yet, elsewhere, in tables and by reference', () => {
    expect(html('[[Note]]')).toContain('<a href="/note/Note.md" class="internal" data-note="Note.md">Note</a>');
    expect(html('[[folder/Note#Head ing|shown]]')).toContain('href="/note/folder/Note.md#Head%20ing"');
    expect(html('[[folder/Note#Head ing|shown]]')).toContain('>shown</a>');
    expect(html('[[Note#Part]]')).toContain('>Note > Part</a>');
    expect(html('[[#Here]]')).toContain('<a href="#Here" class="internal">Here</a>');
    expect(html('[[none such]]')).toContain('class="unresolved"');
    // The page of a name that no note has offers to create it; dots would lead elsewhere.
    expect(html('[[none such?]]')).toContain('href="/note/none%20such%3F"');
    for (const link of ['none/../up', 'none/./b', 'none//b']) expect(html(`[[${link}]]`)).toContain('href="/search?q=');
    expect(html('[a](Note.md) [b](<folder/No te.md#x>)')).toContain('href="/note/folder/No%20te.md#x"');
    expect(html('[x][r]\n\n[r]: Note.md')).toContain('data-note="Note.md"');
    expect(html('[[paper.pdf]]')).toContain('data-file="paper.pdf"');
    expect(html('| a |\n|---|\n| [[Note\\|x]] |')).toContain('data-note="Note.md">x</a>');
    expect(html('https://example.com/a')).toContain('rel="noopener noreferrer" target="_blank"');
  });

  it('pictures: of the vault with their sizes, others as links', () => {
    expect(html('![[p.png|300]]')).toContain('<img data-file="p.png" alt="p.png" width="300">');
    expect(html('![[p.png|300x200]]')).toContain('width="300" height="200"');
    expect(html('![[p.png|a picture]]')).toContain('alt="a picture"');
    expect(html('![[p.png|a lake|300]]')).toContain('alt="a lake" width="300"');
    expect(html('|a|\n|-|\n|![[p.png\\|x\\|30]]|')).toContain('alt="x" width="30"');
    expect(html('![alt|100](p.png)')).toContain('<img data-file="p.png" alt="alt" width="100">');
    expect(html('![alt](https://example.com/p.png)')).toContain('>Picture: alt</a>');
    expect(html('![](https://youtu.be/abc)')).toContain('>Video: https://youtu.be/abc</a>');
    expect(html('![](https://x.com/a/status/1)')).toContain('>Post: https://x.com/a/status/1</a>');
    expect(html('![[none.mp3]]')).toContain('class="unresolved"');
  });

  it('U-02 media: embeds and HTML of files of the vault, with size, start and page', () => {
    expect(html('![[s.mp3]]')).toContain('<audio data-file="s.mp3" controls aria-label="s.mp3"></audio>');
    expect(html('![[f.mp4#t=1:30|300]]')).toContain(
      '<video data-file="f.mp4" controls aria-label="f.mp4" data-start="90" width="300"></video>',
    );
    expect(html('![said](s.mp3)')).toContain('aria-label="said"');
    expect(html('![[p.pdf#page=3]]')).toMatch(/class="embedded-file"><a [^>]*data-page="3">p\.pdf, page 3</);
    expect(html('<img src="p.png" width="200px" alt="x">')).toContain('<img data-file="p.png" alt="x" width="200">');
    expect(html('<img src="p.png" width="50%">')).not.toContain('width');
    expect(html('<audio controls>\n<source src="none.mp3"><source src="s.mp3">\nold <b>browser</b></audio> after')).toMatch(
      /<audio data-file="s\.mp3"[^>]*><\/audio> after/,
    );
    expect(html('<video src="p.png"></video><img src="s.mp3">')).not.toMatch(/<(?:img|video|audio)/);
    expect(html('<video src="https://example.com/f.mp4"></video>')).toContain('>Recording: https://example.com/f.mp4</a>');
  });

  it('embeds: notes, sections, blocks, and what is not there', () => {
    const b = 'first ^one\n\n# Part\n\nin it\n\n# Other\n\nnot in it\n\n- item ^two\n- other';
    expect(html('![[b]]', { 'b.md': b })).toContain('not in it');
    const section = html('![[b#Part]]', { 'b.md': b });
    expect(section).toContain('in it');
    expect(section).not.toContain('not in it');
    expect(section).not.toContain('id="note-part"');
    expect(html('![[b#^one]]', { 'b.md': b })).toContain('<p dir="auto">first</p>');
    expect(html('![[b#^two]]', { 'b.md': b })).not.toContain('other');
    expect(html('![[b#Nowhere]]', { 'b.md': b })).toContain('This note has no heading or block #Nowhere.');
    expect(html('before ![[b#^one]] after', { 'b.md': b })).toMatch(
      /<p dir="auto">before <\/p>\s*<div class="embed">[^]*<p dir="auto"> after<\/p>/,
    );
  });

  it('callouts: kinds, titles, folds, nested', () => {
    expect(html('> [!warning] Care\n> text')).toMatch(
      /<div class="callout callout-warning"><p[^>]*class="callout-title">Care<\/p><div class="callout-body">/,
    );
    expect(html('> [!tip]')).toContain('>Tip</p>');
    expect(html('> [!info]- Folded\n> text')).toMatch(/<details class="callout callout-info"><summary/);
    expect(html('> [!info]+ Open\n> text')).toContain('<details class="callout callout-info" open>');
    expect(html('> [!caution] a **b** [[c]]\n> d')).toContain('<strong>b</strong>');
    expect(html('> [!my-own] x')).toContain('callout-note');
    expect(html('> [!note] a\n> > [!bug] b\n> > c')).toContain('callout-bug');
    expect(html('> no callout [!note]')).toContain('<blockquote>');
  });

  it('marks: highlights, comments, tags, line ends', () => {
    expect(html('a ==b *c* d== e')).toContain('<mark>b <em>c</em> d</mark>');
    expect(html('1 == 2 == 3')).not.toContain('<mark>');
    expect(html('a %%hidden%% b')).not.toContain('hidden');
    expect(html('a\n\n%%\nhidden\n\nhidden\n%%\n\nb')).not.toContain('hidden');
    expect(html('a %% never closed')).toContain('never closed');
    expect(html('`%%shown%%`')).toContain('shown');
    expect(html('#tag/sub and no#tag and #12')).toContain('<a class="tag" href="/tag/tag/sub">#tag/sub</a>');
    expect(html('no#tag and #12')).not.toContain('class="tag"');
    expect(html('one\ntwo')).toContain('one<br>\ntwo');
  });

  it('U-02 marks: escaped, in a highlight, struck through, and comments on lines of their own', () => {
    expect(html('\\#no and \\#no #yes').match(/class="tag"/g)).toHaveLength(1);
    expect(html('a \\==b== \\%%c%%')).toMatch(/==b.*%%c/);
    expect(html('\\# &#35; #tag')).toContain('class="tag"');
    expect(html('==a\n#b==')).toContain('<mark>a<br>\n<a class="tag" href="/tag/b">#b</a></mark>');
    expect(html('==#a==')).toContain('<mark>#a</mark>');
    expect(html('H~2~O ~~c~~')).toContain('H~2~O <del>c</del>');
    expect(html('a\n%%b%%\nc')).toContain('>a<br>\nc<');
    expect(html('- a\n  %%b%%')).toContain('<li>a</li>');
    expect(html('%%\na\n\nb\n%%\nc')).toBe('<p dir="auto">c</p>');
  });

  it('U-02 line ends: a break, unless Obsidian is set to strict line breaks', () => {
    expect(html('one\ntwo')).toContain('one<br>\ntwo');
    const strict = render('one\ntwo  \nthree\n\n> [!tip] four\n> five', {}, { hasStrictLineBreaks: true }).html;
    expect(strict).toContain('one\ntwo<br>\nthree');
    expect(strict).toMatch(/>four<\/p>.*>five</);
  });

  it('U-02 wikilinks: the text of a link is formatted, and holds no other link', () => {
    expect(html('[[Note|`a()` **b** $x$]]')).toMatch(
      /data-note="Note.md"><code[^>]*>a\(\)<\/code> <strong>b<\/strong> <span class="math">/,
    );
    expect(html('[[Note|*a* https://example.com]]')).toContain('>*a* https://example.com</a>');
    expect(html('[[Note|<b>*a*</b>]]')).not.toContain('<b>');
  });

  it('U-02 tasks: any mark, also nested, ordered, in callouts and without a text, each with its line in the file', () => {
    expect(html('- [ ] a\n- [x] b\n- [-] c').match(/<input/g)).toHaveLength(3);
    expect(html('- [ ] a')).toContain('aria-label="Not done"');
    expect(html('- [-] c')).toContain(
      '<li class="task-list-item" data-task="-"><input type="checkbox" checked disabled aria-label="Marked -"',
    );
    expect(html('- [x] b\n  - [ ] c')).toMatch(/<span class="done">b\s*<\/span><ul/);
    const linesIn = (shown: string): string[] => [...shown.matchAll(/data-line="(\d+)"/g)].map(([, line = '']) => line);
    const body = '\n- [ ] a\n  - [x] b\r\n\r\n1. [ ] c\n\n> [!todo]\n> - [/] d\n\n- plain\n- [ ]\n- - [ ] e\n-\n  [ ] f\n';
    expect(linesIn(html(body))).toEqual(['1', '2', '4', '7', '10', '11', '13']);
    const later = render(body, {}, { offset: body.indexOf('1.') }).html;
    expect(linesIn(later)).toEqual(['4', '7', '10', '11', '13']);
    // Boxes of other notes and of previews are not those of this note.
    expect(linesIn(html('![[b]]', { 'b.md': '- [ ] x' }))).toEqual([]);
    expect(linesIn(render('- [ ] x', {}, { isPreview: true }).html)).toEqual([]);
  });

  it('tables, footnotes, code, math', () => {
    expect(html('|a|b|\n|:-:|--:|\n|1|2|')).toContain('align="center"');
    expect(html('x[^n] y ^[inline]\n\n[^n]: said')).toContain('inline');
    expect(html('x ^[see *a* [b](https://example.com) [c] [[Note]]] y')).toMatch(
      /x <sup>.*<\/sup> y.*<li id="note-fn-inline-1">\s*<p[^>]*>see <em>a<\/em> <a [^>]*>b<\/a> \[c\] <a [^>]*>Note<\/a>/s,
    );
    expect(html('x ^[never closed')).toContain('^[never closed');
    expect(html('x[^n]\n\n[^n]: said')).toContain('id="note-fn-n"');
    expect(html('```js\nlet a = 1\n```')).toContain('<span class="hljs-keyword">let</span>');
    expect(html('```nonesuch\n<b>\n```')).toContain('&#x3C;b>');
    expect(html('$a^2$')).toContain('<msup><mi>a</mi><mn>2</mn></msup>');
    expect(html('$$\n\\frac{1}{2}\n$$')).toContain('<mfrac>');
    expect(html('$\\sqrt{x}$')).toContain('<mspace width="0pt" height="0.8em">');
    expect(html('$\\nonesuch{$')).toContain('class="math-source"');
    expect(html('costs $5 and $6')).not.toContain('<math');
  });

  it('HTML: what shapes text stays, with Markdown in it; all else goes', () => {
    expect(html('<kbd>Ctrl</kbd> H<sub>2</sub>O')).toContain('<kbd>Ctrl</kbd> H<sub>2</sub>O');
    expect(html('<details><summary>More</summary>\n\n**in** it\n\n</details>')).toMatch(
      /<details><summary[^>]*>More<\/summary>\s*<p[^>]*><strong>in<\/strong> it<\/p>\s*<\/details>/,
    );
    expect(html('<u>a **b** c</u>')).toContain('<u>a <strong>b</strong> c</u>');
    expect(html('a<br>b &amp; c<!-- no -->')).toContain('a<br>b &#x26; c');
    expect(html('<table><tr><td align="center" colspan=2>x &lt; y</table>')).toContain(
      '<td dir="auto" align="center" colspan="2">x &#x3C; y</td>',
    );
    expect(html('<iframe src="https://example.com/v"></iframe>')).toContain('>Page: https://example.com/v</a>');
    expect(html('<p align="center">x</p>')).toContain('<p dir="auto" align="center">');
    expect(html('1 < 2 and a<b')).toContain('1 &#x3C; 2 and a&#x3C;b');
  });

  it('outline and anchors: as links name them, each once; blocks too', () => {
    const { html: shown, outline } = render('# Über *uns*: A/B\n\n## Same\n\n## Same\n\ntext ^b-1\n\n> quote\n\n^b-2');
    expect(outline).toEqual([
      { level: 1, text: 'Über uns: A/B', id: 'über-uns-a-b' },
      { level: 2, text: 'Same', id: 'same' },
      { level: 2, text: 'Same', id: 'same-2' },
    ]);
    expect(shown).toContain('id="note-über-uns-a-b"');
    expect(shown).toContain('<p dir="auto" id="note-^b-1">text</p>');
    expect(shown).toContain('<blockquote id="note-^b-2">');
  });

  it('U-02 block ids: of list items and callouts, never shown', () => {
    expect(html('- a ^x\n- b')).toContain('<li id="note-^x">a</li>');
    expect(html('> [!tip] a\n> b\n^x')).toMatch(/id="note-\^x">b</);
  });

  it('right-to-left and Han: each block finds its direction, code stays left to right', () => {
    expect(html('# שלום\n\nمرحبا\n\n- 你好')).toMatch(/<h1 dir="auto"[^]*<p dir="auto">[^]*<ul>/);
    expect(html('```\nx\n```')).toContain('<pre dir="ltr" tabindex="0">');
    expect(html('==你好==世界')).toContain('<mark>你好</mark>世界');
  });

  it('right-to-left: lists, quotes, callouts and tables begin on the side where their first word does', () => {
    expect(html('1. واحد\n2. two')).toContain('<ol dir="rtl">');
    expect(html('- [ ] **שלום**')).toMatch(/<ul dir="rtl"|<ul [^>]*dir="rtl"/);
    expect(html('> اقتباس')).toContain('<blockquote dir="rtl">');
    expect(html('> [!note] تنبيه\n> text')).toMatch(/<div [^>]*dir="rtl"/);
    expect(html('| عمود |\n|---|\n| x |')).toMatch(/<div [^>]*dir="rtl"[^>]*><table dir="rtl">/);
    for (const plain of ['- one واحد', '> 1 quote اقتباس', '- 12', '| a |\n|---|\n| واحد |']) expect(html(plain)).not.toContain('rtl');
  });

  it('what begins like frontmatter in a body is none', () => {
    expect(html('---\ntitle: x\n---\ntext')).toContain('title: x');
  });
});
