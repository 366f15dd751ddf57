// Holds docs/operations.md against the code; `--write` brings it up to date.
import { readFileSync, writeFileSync, existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isRecord } from '../src/is-record.ts';
import { inputSchema } from '../src/ops/arguments.ts';
import { allOperations } from '../src/ops/all.ts';
import type { Operation } from '../src/ops/operation.ts';
import { DEFAULT_TOOLSETS, TOOLSETS } from '../src/ops/toolsets.ts';

const reference = fileURLToPath(new URL('../docs/operations.md', import.meta.url));

const sorted = TOOLSETS.flatMap((toolset) =>
  allOperations.filter((operation) => operation.toolset === toolset).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
);

const text = referencePage(sorted);
const isStale = !existsSync(reference) || readFileSync(reference, 'utf8') !== text;

if (isStale && process.argv.includes('--write')) writeFileSync(reference, text);
else if (isStale) {
  console.error(`Out of date: ${reference}. Run "npm run readme -- --write".`);
  process.exitCode = 1;
}

function table(operations: readonly Operation[]): string {
  const rows = operations.map(
    (operation) =>
      `| [\`${operation.name}\`](#${operation.name}) | ${operation.toolset} | ${effectOf(operation)} | ${cell(operation.summary)} |`,
  );
  return ['| Tool | Toolset | Effect | |', '|---|---|---|---|', ...rows].join('\n');
}

function referencePage(operations: readonly Operation[]): string {
  const sections = operations.map((operation) => {
    const schema = inputSchema(operation);
    const required = new Set(schema.required ?? []);
    const rows = Object.entries(schema.properties ?? {}).map(
      ([name, property]) =>
        `| \`${name}\`${required.has(name) ? ' (required)' : ''} | ${cell(describeType(property))} | ${cell(describeProperty(property))} |`,
    );
    const args = rows.length === 0 ? ['No arguments.'] : ['| Argument | Type | |', '|---|---|---|', ...rows];
    return [
      `### \`${operation.name}\``,
      '',
      `${prose(operation.summary)} (${operation.toolset}, ${effectOf(operation)})`,
      '',
      ...args,
      '',
    ].join('\n');
  });
  return [
    '---',
    'applies_to: scripts/check-readme.ts',
    '---',
    '',
    '# Operations',
    '',
    `Made from the code by \`npm run readme -- --write\`. Toolsets that are on without configuration: ${DEFAULT_TOOLSETS.join(', ')}.`,
    'Every operation that writes also takes `idempotency_key`, `if_version` ([the version of a vault](history-and-git.md#the-version-of-a-vault)) and, outside of the knowledge graph, `dry_run`: the answer is then `{dry_run: true, diff}`, and nothing is written. Lists, maps, numbers and flags may be sent as text; `id` and `node_id` are the same argument.',
    '',
    table(operations),
    '',
    '## Arguments',
    '',
    ...sections,
  ].join('\n');
}

function effectOf(operation: Operation): string {
  if (operation.effect === 'destroy') return 'deletes';
  if (operation.effect === 'write') return 'writes';
  return operation.writesByOption === true ? 'reads, writes by option' : 'reads';
}

function describeType(property: unknown): string {
  if (!isRecord(property)) return 'any';
  if (Array.isArray(property['enum'])) return property['enum'].map((value) => `\`${String(value)}\``).join(', ');
  const branches = property['anyOf'] ?? property['oneOf'];
  if (Array.isArray(branches)) return [...new Set(branches.map(describeType))].join(' or ');
  const type = property['type'];
  if (type === 'array') return `list of ${describeType(property['items'])}`;
  if (type === 'object' && isRecord(property['properties'])) return `{${Object.keys(property['properties']).join(', ')}}`;
  return Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : 'any';
}

function describeProperty(property: unknown): string {
  if (!isRecord(property)) return '';
  const { description, default: standard, minimum, maximum } = property;
  const bounds = typeof maximum === 'number' ? `${JSON.stringify(minimum ?? 0)} to ${maximum}` : '';
  return [typeof description === 'string' ? description : '', bounds, standard === undefined ? '' : `default ${JSON.stringify(standard)}`]
    .filter((part) => part !== '')
    .join('; ');
}

function cell(text: string): string {
  return prose(text).replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** Links in examples lead nowhere. */
function prose(text: string): string {
  return text.replaceAll(/\[\[.+?\]\]/g, '`$&`');
}
