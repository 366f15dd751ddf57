import { isRecord } from '../../../is-record.ts';

/** A canvas, or one of its nodes or edges. */
export type CanvasPart = Readonly<Record<string, unknown>>;

/** Parses a canvas (JSON Canvas 1.0). Returns null for anything else; an empty file is an empty canvas. */
export function parseCanvas(json: string): CanvasPart | null {
  try {
    const value: unknown = JSON.parse(json.replace(/^\ufeff/, '').trim() || '{}');
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

export function listOf(value: unknown): readonly CanvasPart[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Returns a text of a part; `''` if it is missing or no text. */
export function textOf(part: CanvasPart, key: string): string {
  const value = Object.hasOwn(part, key) ? part[key] : undefined;
  return typeof value === 'string' ? value : '';
}

/** Returns a finite number of a part; 0 for anything else. */
export function numberOf(part: CanvasPart, key: string): number {
  const value = Object.hasOwn(part, key) ? part[key] : undefined;
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
