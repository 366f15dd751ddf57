import matter from 'gray-matter';
import { LineCounter, parseDocument, visit } from 'yaml';
import { errorMessage } from '../../errors.ts';
import type { Problem, Properties, PropertyValue } from '../note.ts';
import { readPlainYaml } from './fast-yaml.ts';
import { emptyMap, isForbiddenKey } from './property-value.ts';
import { hasGapOver, isNestedDeeper, withoutStacks } from './yaml-bounds.ts';

/** The values of a YAML block, with its problems. */
export interface YamlValues {
  readonly data: Properties;
  /** Whether the block could be read at all. */
  readonly isReadable: boolean;
  readonly problems: readonly Problem[];
}

/** Limits of an untrusted block (docs/security.md). */
export const yamlLimits = { length: 64 * 1024, keys: 1000, depth: 20, aliases: 50, blankLines: 1000 } as const;

/** Options of the library: YAML 1.2 with its core schema, large integers exact. */
export const yamlOptions = { version: '1.2', schema: 'core', merge: false, intAsBigInt: true, logLevel: 'silent' } as const;

const TOO_DEEP = `The frontmatter is nested more than ${yamlLimits.depth} deep`;

/** No values. */
export const noProperties: Properties = Object.freeze(emptyMap());

/** Parses the YAML of a frontmatter block. Never throws and never executes anything; lines of problems count from `firstLine`. */
export function readYaml(yaml: string, options: { firstLine?: number } = {}): YamlValues {
  const plain = readPlainYaml(yaml);
  return plain ? { data: plain.data, isReadable: true, problems: [] } : readByLibrary(yaml, options.firstLine ?? 1);
}

/** Parses only the values, for a graph that stores the YAML text and parses it on demand. */
export function parseYamlValues(yaml: string): Properties {
  return readYaml(yaml).data;
}

/** Parses with gray-matter, with YAML 1.2 as its only language. */
export function readByLibrary(yaml: string, firstLine = 1): YamlValues {
  if (yaml.length > yamlLimits.length) {
    return refused('frontmatter-too-large', `The frontmatter is longer than ${yamlLimits.length / 1024} KB`);
  }
  if (isNestedDeeper(yaml, 2 * yamlLimits.depth)) return refused('frontmatter-too-large', TOO_DEEP);
  if (hasGapOver(yaml, yamlLimits.blankLines))
    return refused('frontmatter-too-large', `The frontmatter has more than ${yamlLimits.blankLines} blank lines in a row`);
  const dropped = new Set<string>();
  try {
    // The closing mark is on its own line, so that `---x` in the block ends nothing. Options are created for each call: without any,
    // gray-matter caches by text, and a cached failure becomes an empty success.
    const { data } = matter(`---\n${lineFeeds(yaml)}\n---\n`, {
      language: 'yaml',
      delimiters: ['---', '---\n'],
      engines: { yaml: { parse: (source) => parseSafely(source, dropped) }, ...deniedLanguages() },
    });
    const problems = [...dropped].map((key): Problem => ({
      code: 'frontmatter-dropped-key',
      message: `The key ${key} is not read, because programs could mistake it for their own`,
    }));
    return { data: data as Properties, isReadable: true, problems };
  } catch (error) {
    if (error instanceof YamlProblem)
      return refused(error.code, error.message, error.line === null ? undefined : error.line + firstLine - 1);
    return refused('frontmatter-malformed', `The frontmatter cannot be read: ${errorMessage(error)}`);
  }
}

class YamlProblem extends Error {
  readonly code: Problem['code'];
  readonly line: number | null;

  constructor(code: Problem['code'], message: string, line: number | null = null) {
    super(message);
    this.code = code;
    this.line = line;
  }
}

function refused(code: Problem['code'], message: string, line?: number): YamlValues {
  return { data: noProperties, isReadable: false, problems: [line === undefined ? { code, message } : { code, message, line }] };
}

function deniedLanguages() {
  const deny = (): never => {
    throw new YamlProblem('frontmatter-executable', 'Only YAML is read as frontmatter');
  };
  return { js: deny, javascript: deny, json: deny, coffee: deny, toml: deny };
}

function parseSafely(source: string, dropped: Set<string>): Properties {
  const lines = new LineCounter();
  // Pretty errors copy the text for each of them, and a hostile text has thousands.
  const document = withoutStacks(() => parseDocument(source, { ...yamlOptions, lineCounter: lines, prettyErrors: false }));
  const error = document.errors[0];
  if (error) {
    // gray-matter passes the text after the opening marks, so its first line is empty.
    const line = lines.linePos(error.pos[0]).line - 1;
    const code = error.code === 'DUPLICATE_KEY' ? 'frontmatter-duplicate-key' : 'frontmatter-malformed';
    throw new YamlProblem(code, `The frontmatter cannot be read: ${error.message.split('\n')[0] ?? error.code}`, Math.max(line, 1));
  }
  let [keys, aliases] = [0, 0];
  visit(document, {
    Pair: (_key, _pair, path) => {
      keys += 1;
      if (keys > yamlLimits.keys) throw new YamlProblem('frontmatter-too-large', `The frontmatter has more than ${yamlLimits.keys} keys`);
      checkDepth(path.length);
    },
    Seq: (_key, _node, path) => checkDepth(path.length),
    Alias: (_key, node, path) => {
      aliases += 1;
      if (aliases > yamlLimits.aliases)
        throw new YamlProblem('frontmatter-too-large', `The frontmatter has more than ${yamlLimits.aliases} aliases`);
      // A self-reference has no end.
      const source = node.resolve(document);
      if (source !== undefined && path.includes(source))
        throw new YamlProblem('frontmatter-malformed', `The frontmatter cannot be read: the alias *${node.source} refers to itself`);
    },
  });
  const value = toPropertyValue(document.toJS({ maxAliasCount: yamlLimits.aliases }), dropped);
  if (value === null) return emptyMap();
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new YamlProblem('frontmatter-malformed', 'The frontmatter is not a list of properties (`key: value`)', 1);
  }
  return value as Properties;
}

/** `length` counts the ancestors, including pairs of maps. */
function checkDepth(length: number): void {
  if (length > 2 * yamlLimits.depth) throw new YamlProblem('frontmatter-too-large', TOO_DEEP);
}

/** Converts a value of the library; keys that are dropped are added to `dropped`. */
export function toPropertyValue(value: unknown, dropped: Set<string> = new Set()): PropertyValue {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map((entry: unknown) => toPropertyValue(entry, dropped));
  if (typeof value === 'object') {
    const map = emptyMap();
    for (const [key, entry] of Object.entries(value)) {
      if (isForbiddenKey(key)) dropped.add(key);
      else map[key] = toPropertyValue(entry, dropped);
    }
    return map;
  }
  // Integers that a number cannot represent stay text: an id of twenty digits is not an amount.
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

/** Converts lone carriage returns to line feeds, which YAML accepts as line ends; keeps offsets. */
function lineFeeds(yaml: string): string {
  return yaml.includes('\r') ? yaml.replace(/\r(?!\n)/g, '\n') : yaml;
}
