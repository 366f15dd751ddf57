import { isForbiddenKey } from '../../note/frontmatter/property-value.ts';
import { isReservedTaskKey } from '../../note/frontmatter/reserved-keys.ts';
import { cleanLine } from './clean.ts';

/** Keys with which a note would say something about itself to roux or Obsidian, besides those of tasks. */
const MEANINGFUL: ReadonlySet<string> = new Set(
  (
    'alias applies_to cssclass cssclasses episode evidence generated group_id ingest kind observation_info okf_version origin permalink ' +
    'publish reference_time source source_description sources stale_after status_info tag updated_by url uuid verified'
  ).split(' '),
);

/** Of tasks alone: in other notes, they say what people mean by them. */
const HARMLESS: ReadonlySet<string> = new Set(['summary', 'state', 'blocked']);

/** Returns the key for a property of another program; one that would have a meaning here says whose it is: `notion_type`. */
export function foreignKey(name: string, from: string): string {
  const key = cleanLine(name)
    .replace(/[[\]{}#|^`]/g, ' ')
    .trim()
    .slice(0, 100)
    .trim();
  const folded = key.toLowerCase();
  if (key === '') return `${from}_property`;
  if (HARMLESS.has(folded)) return key;
  return isReservedTaskKey(folded) || MEANINGFUL.has(folded) || isForbiddenKey(key) || folded.startsWith('_') ? `${from}_${key}` : key;
}
