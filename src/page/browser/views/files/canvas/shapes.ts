import type { Result } from '../../../operations.ts';

export type ShownCanvas = Extract<Result<'read_canvas'>, { readonly kind: 'canvas' }>;
export type CanvasNode = ShownCanvas['nodes'][number];
export type NodeOfKind<Kind extends CanvasNode['kind']> = Extract<CanvasNode, { readonly kind: Kind }>;
