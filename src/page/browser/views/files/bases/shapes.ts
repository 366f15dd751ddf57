import type { Result } from '../../../operations.ts';

/** A view of a base with its rows. */
export type ShownView = Extract<Result<'read_base_view'>, { readonly kind: 'view' }>;
export type BasesProblem = Extract<Result<'read_base_view'>, { readonly kind: 'problem' }>;
export type Group = ShownView['groups'][number];
export type Row = Group['rows'][number];
export type ShownCell = Row['cells'][number];
export type Part = ShownCell['parts'][number];
export type Summary = ShownView['summaries'][number];
