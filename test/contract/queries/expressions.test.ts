import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { evaluate, idsOf, withQueries } from '../../support/queries.ts';
import { shared } from '../../support/vault.ts';

const notes = {
  'row.md':
    '---\nprice: 12\nquantity: 3\ntax: 2\npart: 1\nwhole: 4\nage: 5\nradius: 2\nstatus: open\ncompleted: false\nurgent: true\ntags: [urgent]\n' +
    'due_date: 2020-05-27\nstart_date: 2025-01-01\nfirst_name: Ada\nlast_name: Lovelace\ndescription: words\ntasks: [a, b]\nimpact: 2\nurgency: 6\neffort: 3\n' +
    'author: "[[Tolkien]]"\nauthors: ["[[Tolkien]]", "[[Nobody]]"]\nimage-property: pic.png\nreading status: half\n状态: 完成\ndue-in-days: 3\nproperty: { subprop: x, 2: two }\nisModified: true\n---\n' +
    '#tag1/a [[Tolkien]] ![[pic.png]]\n',
  'books/Tolkien.md': 'Writer. #book\n',
  'pic.png': 'png',
};

/** Expressions with what they give on `row.md`: those of the help pages, section by section, and what stands between the lines. */
const VALUES: Readonly<Record<string, readonly (readonly [expression: string, value: unknown])[]>> = {
  operators: [
    ['radius * (2 * 3.14)', 12.56],
    ['price + tax', 14],
    ['price - tax', 10],
    ['price * quantity', 36],
    ['price / quantity', 4],
    ['7 % 4', 3],
    ['-price + +tax', -10],
    ['(part / whole) * 100', 25],
    ['1 + 2 * 3', 7],
    ['10 - 2 - 3', 5],
    ['price > 100', false],
    ['age < 18', true],
    ['age >= 5 && age <= 5', true],
    ['status == "Done"', false],
    ['status != "Done"', true],
    ['!completed', true],
    ['price > 0 && quantity > 0', true],
    ['urgent || important', true],
    ['!(urgent || completed)', false],
    ["file.mtime > now() - '7d'", true],
    ['file.mtime > now() - "1 week"', true],
    ['file.name + " - " + description', 'row - words'],
    ['first_name + " " + last_name', 'Ada Lovelace'],
    ['"a" + 1 + null + true', 'a1true'],
  ],
  'dates and durations': [
    ['date("2024-12-01") + "1M" + "4h" + "3m" == date("2025-01-01 04:03:00")', true],
    ['(now() + "1d") - now()', 86_400_000],
    ['now() + "1 day" == now() + "24 hours"', true],
    ['start_date + "2w"', '2025-01-15'],
    ['date("2024-01-31") + "1 month"', '2024-02-29'],
    ['date("2024-02-29") - "1y"', '2023-02-28'],
    ['["y","year","years"].map(date("2024-01-01") + ("1" + value)).unique()', ['2025-01-01']],
    ['["M","month","months"].map(date("2024-01-01") + ("1" + value)).unique()', ['2024-02-01']],
    ['["w","week","weeks"].map(date("2024-01-01") + ("1" + value)).unique()', ['2024-01-08']],
    ['["d","day","days"].map(date("2024-01-01") + ("1 " + value)).unique()', ['2024-01-02']],
    ['["h","hour","hours"].map((date("2024-01-01") + ("1" + value)).time()).unique()', ['01:00:00']],
    ['["m","minute","minutes"].map((date("2024-01-01") + ("1" + value)).time()).unique()', ['00:01:00']],
    ['["s","second","seconds"].map((date("2024-01-01") + ("1" + value)).time()).unique()', ['00:00:01']],
    ["now() + (duration('1d') * 2) == now() + '48h'", true],
    ["duration('5h') * 2", 36_000_000],
    ['duration("90m") / 3 == duration("30m")', true],
    ['duration("1h 30m").toString()', '1 hour 30 minutes'],
    ['(date("2025-01-01") - date("2020-01-01")).years.floor()', 5],
    ['duration("3 months").months', 3],
    ['due_date < now()', true],
    ['due_date == "2020-05-27"', true],
    ['due_date < "2021-01-01"', true],
    ['due_date.format("YYYY-MM-DD")', '2020-05-27'],
    ['date("2025-05-27").format("dddd, Do MMMM YYYY [at] HH:mm")', 'Tuesday, 27th May 2025 at 00:00'],
    ['date("2025-05-27 13:04:05").format("gggg-[W]ww DDDD h:mm a")', '2025-W22 147 1:04 pm'],
    ['[due_date.year, due_date.month, due_date.day]', [2020, 5, 27]],
    ['[date("2025-01-01 12:34:56.789")].map([value.hour, value.minute, value.second, value.millisecond])', [[12, 34, 56, 789]]],
    ['date("2025-12-31 23:59:59").date().format("YYYY-MM-DD HH:mm:ss")', '2025-12-31 00:00:00'],
    ['date("2025-12-31 23:59:59").time()', '23:59:59'],
    ['(now() - "3d").relative()', '3 days ago'],
    ['(now() + "2h").relative()', 'in 2 hours'],
    ['due_date.isEmpty()', false],
    ['today() == now().date()', true],
    ['today().hour', 0],
    ['date("nonsense")', null],
    ['date("2025-02-30")', null],
    ['duration("nonsense")', null],
    ['due_date.toString()', '2020-05-27'],
  ],
  'global functions': [
    ['escapeHTML("<b> & \\"c\\"")', '&lt;b&gt; &amp; &quot;c&quot;'],
    ['if(isModified, "Modified", "Unmodified")', 'Modified'],
    ['if(completed, "yes")', null],
    ['if(price, "$" + price.toFixed(2), "")', '$12.00'],
    ['if(due_date < now() && status != "Done", "Overdue", "")', 'Overdue'],
    ['image(image-property)', 'pic.png'],
    ['image("https://obsidian.md/images/obsidian-logo-gradient.svg")', 'https://obsidian.md/images/obsidian-logo-gradient.svg'],
    ['icon("arrow-right")', 'arrow-right'],
    ['html("<b>x</b>")', '<b>x</b>'],
    ['link("Tolkien")', '[[Tolkien]]'],
    ['link("Tolkien", "J. R. R.")', '[[Tolkien|J. R. R.]]'],
    ['link("filename", icon("plus"))', '[[filename|plus]]'],
    ['link("https://obsidian.md")', 'https://obsidian.md'],
    ['list("value")', ['value']],
    ['list([1, 2])', [1, 2]],
    ['max(1, 3, 2)', 3],
    ['min(3, 1, 2)', 1],
    ['number("3.4")', 3.4],
    ['number("x")', null],
    ['number(true) + number(false)', 1],
    ['number(date("2025-01-02")) - number(date("2025-01-01"))', 86_400_000],
    ['random() >= 0 && random() < 1', true],
    ['file("books/Tolkien").path', 'books/Tolkien.md'],
    ['file(link("[[Tolkien]]")).name', 'Tolkien'],
    ['file("nowhere")', null],
  ],
  'any value': [
    ['1.isTruthy()', true],
    ['0.isTruthy()', false],
    ['"example".isType("string")', true],
    ['true.isType("boolean")', true],
    ['[1.isType("number"), [].isType("list"), {}.isType("object"), null.isType("null")]', [true, true, true, true]],
    ['[due_date.isType("date"), author.isType("link"), file.isType("file"), /a/.isType("regexp")]', [true, true, true, true]],
    ['123.toString()', '123'],
    ['[1, "a"].toString()', '1, a'],
  ],
  strings: [
    ['"hello".length', 5],
    ['"hello".contains("ell")', true],
    ['"hello".containsAll("h", "e")', true],
    ['"hello".containsAny("x", "y", "e")', true],
    ['"hello".endsWith("lo")', true],
    ['"Hello world".isEmpty()', false],
    ['"".isEmpty()', true],
    ['"HeLLo".lower()', 'hello'],
    ['"a:b:c:d".replace(/:/, "-")', 'a-b:c:d'],
    ['"a:b:c:d".replace(/:/g, "-")', 'a-b-c-d'],
    ['"a:b:c:d".replace(":", "-")', 'a-b-c-d'],
    ['"John Smith".replace(/(\\w+) (\\w+)/, "$2, $1")', 'Smith, John'],
    ['"a.b".replace(".", "$&")', 'a$&b'],
    ['"123".repeat(2)', '123123'],
    ['"hello".reverse()', 'olleh'],
    ['"hello".slice(1, 4)', 'ell'],
    ['"hello".slice(-2)', 'lo'],
    ['"a,b,c,d".split(",", 3)', ['a', 'b', 'c']],
    ['"a,b,c,d".split(/,/, 3)', ['a', 'b', 'c']],
    ['"hello".startsWith("he")', true],
    ['/(a+)+b/.matches("") || /(a|b)+c/.matches("ab")', false],
    ['"hello world".title()', 'Hello World'],
    ['"  hi  ".trim()', 'hi'],
    ["'it' + \"'s\"", "it's"],
    ['file.name.lower()', 'row'],
  ],
  numbers: [
    ['(-5).abs()', 5],
    ['(2.1).ceil()', 3],
    ['(2.9).floor()', 2],
    ['5.isEmpty()', false],
    ['(2.5).round()', 3],
    ['(2.3333).round(2)', 2.33],
    ['(1.005).round(2)', 1.01],
    ['(3.14159).toFixed(2)', '3.14'],
    ['[1e3, .5, 1.5e-3]', [1000, 0.5, 0.0015]],
    ['1 / 0', null],
  ],
  lists: [
    ['[1,2,3].length', 3],
    ['[1,2,3].contains(2)', true],
    ['[1,2,3].containsAll(2,3)', true],
    ['[1,2,3].containsAny(3,4)', true],
    ['[1,2,3,4].filter(value > 2)', [3, 4]],
    ['[1,2,3,4].filter(index > 1)', [3, 4]],
    ['[1,[2,3]].flat()', [1, 2, 3]],
    ['[1,2,3].isEmpty()', false],
    ['[].isEmpty()', true],
    ['[1,2,3].join(",")', '1,2,3'],
    ['[1,2,3,4].map(value + 1)', [2, 3, 4, 5]],
    ['[[1,2],[3]].map(value.map(value * 10).length + index)', [2, 2]],
    ['[1,2,3].reduce(acc + value, 0)', 6],
    ['[4,"x",9].filter(value.isType("number")).reduce(if(acc == null || value > acc, value, acc), null)', 9],
    ['[1,2,3].reverse()', [3, 2, 1]],
    ['[1,2,3,4].slice(1,3)', [2, 3]],
    ['[3, 1, 2].sort()', [1, 2, 3]],
    ['["c", "a", "b"].sort()', ['a', 'b', 'c']],
    ['[1,2,2,3].unique()', [1, 2, 3]],
    ['[1,2,6].mean()', 3],
    ['tasks[0] + tasks[5]', 'a'],
    ['tasks.length', 2],
    ['tags.contains("urgent")', true],
  ],
  'files, links and objects': [
    ['file.path', 'row.md'],
    ['[file.name, file.basename, file.ext, file.folder]', ['row', 'row', 'md', '']],
    ['file("pic.png").name', 'pic.png'],
    ['[file("pic.png").basename, file("pic.png").ext, file("pic.png").size]', ['pic', 'png', 3]],
    ['file.size > 100', true],
    ['file.ctime <= now()', true],
    ['file.tags', ['urgent', 'tag1/a']],
    ['file.links', ['[[Tolkien]]', '[[Tolkien]]', '[[Nobody]]', '[[Tolkien]]']],
    ['file.embeds', ['[[pic.png]]']],
    ['file("Tolkien").backlinks', ['row.md']],
    ['file.properties.price', 12],
    ['file.file == file', true],
    ['file.asLink()', '[[row]]'],
    ['file.asLink("shown")', '[[row|shown]]'],
    ['file.hasLink("Tolkien")', true],
    ['file.hasLink(file("Tolkien"))', true],
    ['file.hasLink("Nobody") && !file.hasLink("Somebody")', true],
    ['file.hasProperty("price") && !file.hasProperty("nothing")', true],
    ['file.tags.contains("#tag1/a") && tags.containsAny("x", "#urgent")', true],
    ['file.hasTag("tag1", "tag2")', true],
    ['file.hasTag("#TAG1") && !file.hasTag("tag")', true],
    ['file("Tolkien").inFolder("books") && !file.inFolder("books")', true],
    ['author.asFile().path', 'books/Tolkien.md'],
    ['link("row").linksTo(file("Tolkien"))', true],
    ['author == file("Tolkien")', true],
    ['author == link("books/Tolkien")', true],
    ['authors.contains(file("Tolkien"))', true],
    ['authors[1] == link("Nobody")', true],
    ['author != link("row")', true],
    ['note.price == price && note["price"] == price', true],
    ['note["reading status"]', 'half'],
    ['状态 == "完成"', true],
    ['due-in-days * 2 + note.due-in-days', 9],
    ['price-tax', 10],
    ['property.subprop + property["subprop"]', 'xx'],
    ['{}.isEmpty()', true],
    ['{"a": 1, "b": 2}.keys()', ['a', 'b']],
    ['{"a": 1, "b": 2}.values()', [1, 2]],
    ['{a: {b: 2}}.a.b', 2],
    ['/abc/.matches("abcde")', true],
    ['/^B/i.matches("abc")', false],
    ['link(file.ctime.date().toString()).isType("link")', true],
  ],
};

describe('E-21 the expression language of Bases', () => {
  for (const [section, examples] of Object.entries(VALUES)) {
    it(`E-21 gives what the help pages say: ${section}`, () =>
      withQueries(notes, async (list) => {
        const values = await evaluate(
          list,
          examples.map(([expression]) => expression),
          { on: 'row.md' },
        );
        expect(examples.map(([expression], index) => [expression, values[index]])).toEqual(examples);
      }));
  }

  it('E-21 `this` is the file that is named as context, its properties and its file', () =>
    withQueries(notes, async (list) => {
      expect(idsOf(await list({ where: 'file.hasLink(this.file)', context: 'Tolkien' }))).toEqual(['row.md']);
      expect(idsOf(await list({ where: 'author == this', context: 'books/Tolkien.md' }))).toEqual(['row.md']);
      expect(idsOf(await list({ where: 'file.name == this.file.name && this.price == 12', context: 'row' }))).toEqual(['row.md']);
      expect(await evaluate(list, ['this.file.folder', 'this.note.price'], { on: 'row.md', context: 'row.md' })).toEqual(['', 12]);
    }));

  const pages = shared('vaults/obsidian-help-en/Bases');
  it.skipIf(!existsSync(pages))('E-21 every example of the help pages with a result gives that result', () =>
    withQueries(notes, async (list) => {
      const text = readFileSync(`${pages}/Functions.md`, 'utf8');
      const examples = [...text.matchAll(/`([^`]+)`(?: and `([^`]+)` both)? returns? `([^`]+)`/g)].flatMap(
        ([, first = '', second, result = '']) =>
          [first, second].filter((each) => each !== undefined).map((expression) => [expression, JSON.parse(result) as unknown] as const),
      );
      // Examples with names of their own, or of this very day, are in the table above.
      const own = examples.filter(([expression]) => !/\bfile\b|\bdate\.|\bnow\(|otherFile/.test(expression));
      expect(own.length).toBeGreaterThan(30);
      const values = await evaluate(
        list,
        own.map(([expression]) => expression),
        { on: 'row.md' },
      );
      expect(own.map(([expression], index) => [expression, values[index]])).toEqual(own);
    }),
  );
});
