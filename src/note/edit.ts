import { relink } from './body/relink.ts';
import { addLine, dropLine, replaceLine } from './body/section-lines.ts';
import type { NoteChange } from './change.ts';
import { editProperties, isPropertyChange } from './frontmatter/property-edit.ts';
import type { PropertyChange } from './frontmatter/property-edit.ts';
import { revOf } from './frontmatter/property-value.ts';
import { bodyStartOf, readFrontmatter } from './frontmatter/read-frontmatter.ts';

/**
 * Applies changes, in order, to whatever text a note has now.
 * Throws `INVALID_FRONTMATTER` when the frontmatter would have to change and cannot be read.
 */
export function applyChanges(path: string, text: string, changes: readonly NoteChange[]): { text: string; changed: boolean } {
  let result = text;
  let properties: PropertyChange[] = [];
  const flush = (): void => {
    if (properties.length > 0) result = editProperties(path, result, properties);
    properties = [];
  };
  for (const change of changes) {
    if (isPropertyChange(change)) properties.push(change);
    else {
      flush();
      result = applyToText(path, result, change);
    }
  }
  flush();
  if (result !== text) for (const change of changes) if (change.op === 'touch') result = touch(path, result, change.at);
  return { text: result, changed: result !== text };
}

function applyToText(path: string, text: string, change: Exclude<NoteChange, PropertyChange>): string {
  switch (change.op) {
    case 'body':
      return text.slice(0, bodyStartOf(text)) + change.text;
    case 'text':
      return change.text;
    case 'add-line':
      return addLine(text, change);
    case 'drop-line':
      return dropLine(text, change);
    case 'replace-line':
      return replaceLine(text, change);
    case 'relink':
      return relink(path, text, change.links);
    case 'touch':
      return text;
  }
}

/** Counts the write. A block that cannot be read keeps its bytes: a change of the body alone does not need it. */
function touch(path: string, text: string, at: string): string {
  const { data, isReadable, problems } = readFrontmatter(text);
  if (!isReadable || problems.some(({ code }) => code === 'frontmatter-executable')) return text;
  return editProperties(path, text, [
    { op: 'set', key: ['rev'], value: (revOf(data) ?? 0) + 1 },
    { op: 'set', key: ['updated_at'], value: at },
  ]);
}
