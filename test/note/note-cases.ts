/** What a note says, and what is read from it. */
export interface LinkCase {
  readonly title: string;
  readonly text: string;
  /** Each as it is written, then what it leads to, then the text that it shows where it has one. */
  readonly links: readonly (readonly [written: string, link: string, alias?: string])[];
}

/** Links as people write them, and what only looks like one. */
export const linkCases: readonly LinkCase[] = [
  { title: 'a name', text: 'to [[Harbour]]', links: [['[[Harbour]]', 'Harbour']] },
  { title: 'a path', text: '[[Places/North/Harbour]]', links: [['[[Places/North/Harbour]]', 'Places/North/Harbour']] },
  { title: 'a text of its own', text: '[[Harbour|the port]]', links: [['[[Harbour|the port]]', 'Harbour', 'the port']] },
  { title: 'a bar in the text', text: '[[Harbour|this | that]]', links: [['[[Harbour|this | that]]', 'Harbour', 'this | that']] },
  { title: 'an empty text', text: '[[Harbour|]]', links: [['[[Harbour|]]', 'Harbour', '']] },
  { title: 'a heading', text: '[[Harbour#Ferry]]', links: [['[[Harbour#Ferry]]', 'Harbour#Ferry']] },
  { title: 'a heading below another', text: '[[Harbour#Ferry#Sundays]]', links: [['[[Harbour#Ferry#Sundays]]', 'Harbour#Ferry#Sundays']] },
  { title: 'a block', text: '[[Ines#^house|there]]', links: [['[[Ines#^house|there]]', 'Ines#^house', 'there']] },
  {
    title: 'within the note',
    text: '[[#Ferry]] [[#^house]]',
    links: [
      ['[[#Ferry]]', '#Ferry'],
      ['[[#^house]]', '#^house'],
    ],
  },
  { title: 'an embed with a size', text: '![[boat.png|120x80]]', links: [['![[boat.png|120x80]]', 'boat.png', '120x80']] },
  { title: 'an embed in a line', text: 'see ![[Soup#How]].', links: [['![[Soup#How]]', 'Soup#How']] },
  {
    title: 'two without a space',
    text: '[[One]][[Two]]',
    links: [
      ['[[One]]', 'One'],
      ['[[Two]]', 'Two'],
    ],
  },
  {
    title: 'emphasis around',
    text: '**[[One]]** _[[Two]]_',
    links: [
      ['[[One]]', 'One'],
      ['[[Two]]', 'Two'],
    ],
  },
  {
    title: 'a list, a task and a quote',
    text: '- [[One]]\n- [ ] [[Two]]\n\n> [[Three]]',
    links: [
      ['[[One]]', 'One'],
      ['[[Two]]', 'Two'],
      ['[[Three]]', 'Three'],
    ],
  },
  {
    title: 'a callout',
    text: '> [!tip] See [[One]]\n> and [[Two]]',
    links: [
      ['[[One]]', 'One'],
      ['[[Two]]', 'Two'],
    ],
  },
  { title: 'a heading with one in it', text: '## To [[One]]', links: [['[[One]]', 'One']] },
  { title: 'a footnote', text: 'a[^1]\n\n[^1]: see [[One]]', links: [['[[One]]', 'One']] },
  { title: 'a table', text: '| x |\n|---|\n| [[One\\|first]] |', links: [['[[One\\|first]]', 'One', 'first']] },
  { title: 'Chinese between full-width marks', text: '见「[[绿茶]]」。', links: [['[[绿茶]]', '绿茶']] },
  { title: 'characters beyond the first plane before it', text: '😀𠮷 [[One]]', links: [['[[One]]', 'One']] },
  {
    title: 'a carriage return after it',
    text: '[[One]]\r\n[[Two]]\r\n',
    links: [
      ['[[One]]', 'One'],
      ['[[Two]]', 'Two'],
    ],
  },
  { title: 'none in code', text: '`[[One]]` and\n\n```\n[[Two]]\n```\n\n~~~ md\n[[Three]]\n~~~', links: [] },
  { title: 'none in code that goes to the end', text: '```\n[[One]]', links: [] },
  { title: 'none by indentation, after an empty line', text: 'text\n\n    [[One]]', links: [] },
  { title: 'one in an indented line that goes on', text: 'text\n    [[One]]', links: [['[[One]]', 'One']] },
  { title: 'none in comments of HTML', text: 'a <!-- [[One]] -->\n\n<!--\n[[Two]]\n-->', links: [] },
  { title: 'none in formulas', text: '$[[One]]$\n\n$$\n[[Two]]\n$$', links: [] },
  { title: 'none across lines', text: '[[One\nTwo]]', links: [] },
  { title: 'none escaped', text: '\\[[One]]', links: [] },
  { title: 'none of single brackets', text: '[One] [One][] [ [Two] ]', links: [] },
  { title: 'Markdown', text: '[port](Places/Harbour.md)', links: [['[port](Places/Harbour.md)', 'Places/Harbour.md']] },
  {
    title: 'Markdown, encoded',
    text: '[p](Old%20Mill.md#The%20wheel)',
    links: [['[p](Old%20Mill.md#The%20wheel)', 'Old Mill.md#The wheel']],
  },
  { title: 'Markdown in angles', text: '[p](<Old Mill.md>)', links: [['[p](<Old Mill.md>)', 'Old Mill.md']] },
  { title: 'Markdown with a title', text: "[p](a.md 'T')", links: [["[p](a.md 'T')", 'a.md']] },
  { title: 'Markdown with brackets in the name', text: '[p](who_(open).md)', links: [['[p](who_(open).md)', 'who_(open).md']] },
  { title: 'Markdown upwards', text: '[p](../../b/c.md)', links: [['[p](../../b/c.md)', '../../b/c.md']] },
  { title: 'Markdown, a sign that encodes nothing', text: '[p](50%.md)', links: [['[p](50%.md)', '50%.md']] },
  { title: 'Markdown pictures', text: '![boat](img/boat.png)', links: [['![boat](img/boat.png)', 'img/boat.png']] },
  {
    title: 'none that leave the vault',
    text: '[a](https://example.org) [b](mailto:x@example.org) ![c](http://example.org/c.png)',
    links: [],
  },
  { title: 'none of addresses', text: '<https://example.org> https://example.org/x.md www.example.org', links: [] },
];

/** Tags as people write them. */
export const tagCases: readonly (readonly [title: string, text: string, tags: readonly string[]])[] = [
  ['in a line', 'walk #coast today', ['#coast']],
  ['at its beginning', '#coast', ['#coast']],
  ['nested', '#walk/coast/long', ['#walk/coast/long']],
  ['with a dash and an underscore', '#day-trip #day_trip', ['#day-trip', '#day_trip']],
  ['with a number in it, not of numbers alone', '#2026 #2026-05 #y2026', ['#2026-05', '#y2026']],
  ['no heading', '# coast\n#coast', ['#coast']],
  ['in a heading', '## By boat #sea', ['#sea']],
  ['none within a word or an address', 'a#b https://example.org/#c', []],
  ['none in code', '`#a`\n\n```\n#b\n```', []],
  ['none in comments of HTML, but in those of Obsidian', 'x <!-- #a --> %% #b %%', ['#b']],
  ['none in links', '[[a#b]] [c](d.md#e)', []],
  ['none escaped', '\\#a', []],
  ['ended by a mark', 'the #coast, the #sea. The #end!', ['#coast', '#sea', '#end']],
  ['in other scripts', '#海岸/北 #küste #海辺', ['#海岸/北', '#küste', '#海辺']],
  ['none right behind a full-width mark', '标签：#海岸 #北', ['#北']],
  ['with a picture sign', '#🌊 #🌊sea', ['#🌊', '#🌊sea']],
  ['in lists, tasks, quotes and tables', '- #a\n- [ ] #b\n\n> #c\n\n| x |\n|---|\n| #d |', ['#a', '#b', '#c', '#d']],
  ['one after the other', '#a#b #c', ['#a', '#c']],
];

/** Frontmatter as people write it, and the values that are read. */
export const frontmatterCases: readonly (readonly [title: string, text: string, values: Readonly<Record<string, unknown>>])[] = [
  [
    'days and times stay texts',
    '---\nday: 2026-05-01\nat: 2026-05-01T09:30\nopens: 9:30\n---\n',
    { day: '2026-05-01', at: '2026-05-01T09:30', opens: '9:30' },
  ],
  ['numbers, truth and nothing', '---\nn: 7\nf: 1.5\nb: true\nz: null\ne:\n---\n', { n: 7, f: 1.5, b: true, z: null, e: null }],
  ['words that other readers take for truth', '---\na: yes\nb: off\n---\n', { a: 'yes', b: 'off' }],
  [
    'links in quotes, alone and in lists',
    '---\nup: "[[Start]]"\nto: ["[[A]]", \'[[B|b]]\']\n---\n',
    { up: '[[Start]]', to: ['[[A]]', '[[B|b]]'] },
  ],
  ['a link without quotes is a list in a list', '---\nup: [[Start]]\n---\n', { up: [['Start']] }],
  ['lists with and without indentation', '---\na:\n  - x\nb:\n- y\n---\n', { a: ['x'], b: ['y'] }],
  ['maps in maps', '---\na:\n  b:\n    c: 1\n---\n', { a: { b: { c: 1 } } }],
  ['texts over several lines', '---\na: |\n  x\n  y\nb: >-\n  x\n  y\n---\n', { a: 'x\ny\n', b: 'x y' }],
  ['comments are no values', '---\n# why\na: 1 # so\n---\n', { a: 1 }],
  ['JSON', '---\n{"a": [1, "b"]}\n---\n', { a: [1, 'b'] }],
  ['other line ends and a byte order mark', '\ufeff---\r\na: 1\r\n---\r\nx', { a: 1 }],
  ['an empty block', '---\n---\n', {}],
  ['none after an empty line', '\n---\na: 1\n---\n', {}],
  ['none without an end', '---\na: 1\n', {}],
];
