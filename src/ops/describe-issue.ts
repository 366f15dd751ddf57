import type { z } from 'zod';

/** One wrong field in words: the field's path, what it must be, what it is. */
export function describeIssue(issue: z.core.$ZodIssue, values: unknown): string {
  const path = issue.path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`),
    '',
  );
  const place = path === '' ? 'arguments' : path;
  const found: unknown = issue.path.reduce<unknown>(
    (value, part) => (typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[part] : undefined),
    values,
  );
  if (found === undefined && issue.code !== 'custom' && issue.code !== 'unrecognized_keys') return `${place} is required`;
  switch (issue.code) {
    case 'invalid_type':
      return `${place} must be ${article(issue.expected === 'int' ? 'integer' : issue.expected)}, got ${show(found)}`;
    case 'too_big':
      return `${place} must ${limit(issue.origin, 'at most', Number(issue.maximum))}, got ${size(found)}`;
    case 'too_small':
      return `${place} must ${limit(issue.origin, 'at least', Number(issue.minimum))}, got ${size(found)}`;
    case 'invalid_value':
      return `${place} must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}, got ${show(found)}`;
    case 'unrecognized_keys':
      return `unknown field ${issue.keys.map((key) => (path === '' ? key : `${path}.${key}`)).join(', ')}`;
    case 'invalid_key':
      return `${place === '' ? 'arguments' : place.replace(/\.$/, '')}: a name must not be empty`;
    case 'custom':
      return path === '' ? issue.message : `${place}: ${issue.message}`;
    default:
      return `${place}: ${issue.message}`;
  }
}

function limit(origin: string, word: string, bound: number): string {
  if (origin === 'string') return `have ${word} ${bound} characters`;
  if (origin === 'array' || origin === 'set') return `have ${word} ${bound} ${bound === 1 ? 'element' : 'elements'}`;
  return `be ${word} ${bound}`;
}

function size(value: unknown): string {
  if (typeof value === 'string' || Array.isArray(value)) return String(value.length);
  return show(value);
}

function article(type: string): string {
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
