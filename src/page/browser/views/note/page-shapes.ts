import type { Result } from '../../operations.ts';

type Page = Result<'read_page'>;
export type NotePage = Extract<Page, { readonly kind: 'note' }>;
/** The target of links that does not exist. */
export type UnresolvedPage = Extract<Page, { readonly kind: 'wanted' }>;
export type OutlineItem = NotePage['outline'][number];
export type Property = NotePage['properties'][number];
/** A note that links to or mentions this one, with the lines in which it does. */
export type Backlink = NotePage['backlinks'][number];
