import { describe, expect, it } from 'vitest';
import { linkStyleOf } from '../../../src/vault/links/link-style.ts';
import { writeLinkpath } from '../../../src/vault/links/write-linkpath.ts';
import type { LinkToWrite } from '../../../src/vault/links/write-linkpath.ts';

describe('the style of links', () => {
  it('is minimal without Obsidian, and what its settings say with it', () => {
    expect(linkStyleOf({ links: {} }, null)).toEqual({ format: 'minimal', markdown: false });
    expect(linkStyleOf({ links: {} }, '{}')).toEqual({ format: 'shortest', markdown: false });
    expect(linkStyleOf({ links: {} }, '\ufeff{"newLinkFormat":"relative","useMarkdownLinks":true}')).toEqual({
      format: 'relative',
      markdown: true,
    });
    expect(linkStyleOf({ links: {} }, '{"newLinkFormat":"absol')).toEqual({ format: 'shortest', markdown: false });
    expect(linkStyleOf({ links: {} }, '{"newLinkFormat":"diagonal"}')).toEqual({ format: 'shortest', markdown: false });
  });

  it('is what the configuration says before anything else', () => {
    expect(linkStyleOf({ links: { format: 'absolute', markdown: false } }, '{"useMarkdownLinks":true}')).toEqual({
      format: 'absolute',
      markdown: false,
    });
  });
});

describe('writing a link path', () => {
  const link = (given: Partial<LinkToWrite>): string | null =>
    writeLinkpath({
      format: 'minimal',
      form: 'wikilink',
      linkpath: 'Old',
      before: 'Old.md',
      target: 'a/b/New.md',
      source: 'a/c/x.md',
      top: null,
      resolve: () => ({ path: 'a/b/New.md', isAmbiguous: false }),
      ...given,
    });

  it('follows the format', () => {
    expect(link({})).toBe('New');
    expect(link({ linkpath: 'x/Old', before: 'z/x/Old.md' })).toBe('b/New');
    expect(link({ linkpath: '/Old.md' })).toBe('/a/b/New.md');
    expect(link({ linkpath: '../Old' })).toBe('../b/New');
    expect(link({ format: 'absolute' })).toBe('a/b/New');
    expect(link({ format: 'relative' })).toBe('../b/New');
    expect(link({ format: 'relative', source: 'a/x.md' })).toBe('b/New');
    expect(link({ format: 'shortest', linkpath: 'x/Old' })).toBe('New');
    expect(link({ format: 'shortest', form: 'markdown' })).toBe('New.md');
    expect(link({ format: 'shortest', target: 'i/p.png', resolve: () => ({ path: 'i/p.png', isAmbiguous: false }) })).toBe('p.png');
  });

  it('takes the path where the name alone leads elsewhere or to several', () => {
    const resolve = (linkpath: string) => ({ path: linkpath.includes('/') ? 'a/b/New.md' : 'New.md', isAmbiguous: false });
    expect(link({ resolve })).toBe('b/New');
    expect(link({ format: 'shortest', resolve: () => ({ path: 'a/b/New.md', isAmbiguous: true }) })).toBe('a/b/New');
  });

  it('says when no link can lead there', () => {
    expect(link({ target: 'a#b/New.md' })).toBeNull();
    expect(link({ resolve: () => ({ path: null, isAmbiguous: false }) })).toBeNull();
  });
});
