import { describe, expect, it } from 'vitest';
import { refused, renamed } from './vault-files.ts';

describe('E-17 attachments', () => {
  it('E-17 W48 embeds with sizes, Markdown links, canvases and properties follow', async () => {
    const files = {
      'img/old one.png': 'PNG',
      'n.md':
        '---\ncover: "[[old one.png]]"\nmore:\n  - "[[img/old one.png]]"\n---\n![[old one.png|300]] ![a](img/old%20one.png) [b](<img/old one.png>) `![[old one.png]]`\n\n[r]: img/old%20one.png\n',
      'c.canvas':
        '{"nodes":[{"id":"1","type":"file","file":"img/old one.png"},{"id":"2","type":"group","background":"img/old one.png"},{"id":"3","type":"text","text":"![[old one.png]]"}]}',
      'v.base': 'views:\n  - type: cards\n    image: "img/old one.png"\n',
    };
    const { after } = await renamed(files, { 'old one.png': 'pics/new.jpg' });
    expect(after).toEqual({
      'pics/new.jpg': 'PNG',
      'n.md':
        '---\ncover: "[[new.jpg]]"\nmore:\n  - "[[pics/new.jpg]]"\n---\n![[new.jpg|300]] ![a](pics/new.jpg) [b](<pics/new.jpg>) `![[old one.png]]`\n\n[r]: pics/new.jpg\n',
      'c.canvas': files['c.canvas'].replaceAll('img/old one.png', 'pics/new.jpg').replace('old one.png', 'new.jpg'),
      'v.base': 'views:\n  - type: cards\n    image: "pics/new.jpg"\n',
    });
  });

  it('E-17 by path or unique name, in its folder, with its extension kept; canvases and bases are files too', async () => {
    const files = {
      'a/i.png': 'PNG',
      'a/plan.canvas': '{"nodes":[{"id":"1","type":"file","file":"a/i.png"}]}',
      'v.base': 'views: []\n',
      'n.md': '![[i.png]] [[plan.canvas]] ![[v.base#Table]]\n',
    };
    const { after } = await renamed(files, { 'a/i.png': 'scan', 'plan.canvas': 'Board.canvas', 'v.base': 'views/' });
    expect(after).toEqual({
      'a/scan.png': 'PNG',
      'a/Board.canvas': '{"nodes":[{"id":"1","type":"file","file":"a/scan.png"}]}',
      'views/v.base': 'views: []\n',
      'n.md': '![[scan.png]] [[Board.canvas]] ![[v.base#Table]]\n',
    });
  });
});

describe('E-18 headings and blocks', () => {
  const files = {
    'n.md': '# Top\n\n## Old part\n\n[[#Old part]] [[#Top#Old part]]\n\nfact ^old\n',
    'x.md': '[[n#Old part]] ![[n#Top#Old part|shown]] [t](n.md#Old%20part) [[n#old part]] `[[n#Old part]]` ![[n#^OLD]]\n',
    'other.md': '## Old part\n\n[[#Old part]] [[other#Old part]] ^old\n',
  };

  it('E-18 W49 in the note itself, through a parent, in embeds and Markdown links, never in another note', async () => {
    const { after, answer } = await renamed(files, { 'n#Old part': 'New (part)' });
    expect(after).toEqual({
      'n.md': '# Top\n\n## New (part)\n\n[[#New (part)]] [[#Top#New (part)]]\n\nfact ^old\n',
      'x.md': '[[n#New (part)]] ![[n#Top#New (part)|shown]] [t](n.md#New%20(part)) [[n#New (part)]] `[[n#Old part]]` ![[n#^OLD]]\n',
    });
    expect(answer.renamed).toEqual([{ from: 'n.md#Old part', to: 'n.md#New (part)' }]);
  });

  it('E-18 a heading and a block in one call with their note; both parts of a link follow at once', async () => {
    const { after } = await renamed(files, { n: 'far/m.md', 'n#Top#Old part': 'New', 'n#^old': 'new' });
    expect(after).toEqual({
      'far/m.md': '# Top\n\n## New\n\n[[#New]] [[#Top#New]]\n\nfact ^new\n',
      'x.md': '[[m#New]] ![[m#Top#New|shown]] [t](m.md#New) [[m#New]] `[[n#Old part]]` ![[m#^new]]\n',
    });
  });

  it('E-18 refuses a heading that is there twice, with the lines', async () => {
    const twice = { 'n.md': '# a\n\n## h\n\n# b\n\n## h\n', 'x.md': '[[n#h]]\n' };
    expect(await refused(twice, { 'n#h': 'k' })).toMatchObject({ code: 'AMBIGUOUS', message: expect.stringContaining('lines 3, 7') });
    expect((await renamed(twice, { 'n#b#h': 'k' })).after).toEqual({ 'n.md': '# a\n\n## h\n\n# b\n\n## k\n' });
  });

  it.each([
    ['a heading that is not there', { 'n#Nowhere': 'x' }, 'NODE_NOT_FOUND', 'Its headings: Top, Old part'],
    ['the same name', { 'n#Old part': 'Old part' }, 'INVALID_PARAMS', 'called that already'],
    ['a name that links cannot lead to', { 'n#Old part': '[[]]' }, 'INVALID_PARAMS', 'links cannot lead'],
    ['marks of a heading', { 'n#Old part': '## New' }, 'INVALID_PARAMS', 'not part of it'],
    ['a name with a block id', { 'n#Old part': 'New ^id' }, 'INVALID_PARAMS', 'something else'],
    ['a block that is not there', { 'n#^none': 'x' }, 'NODE_NOT_FOUND', 'no block ^none'],
    ['a block id with a space', { 'n#^old': 'a b' }, 'INVALID_PARAMS', 'Latin letters'],
  ])('E-18 refuses %s', async (_, changes, code, message) => {
    const error = await refused(files, changes as Record<string, string>);
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
  });
});
