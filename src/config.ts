import * as z from 'zod';
import { RouxError } from './errors.ts';
import { isRecord } from './is-record.ts';
import { didYouMean } from './nearest.ts';
import { isVaultPath } from './note/path.ts';

/** A folder inside the vault: no way out of it, no dot-folder. */
const vaultFolder = z
  .string()
  .refine(isVaultPath, 'must be a folder inside the vault, such as "projects": relative, with "/" and without "." segments');

/** Where an API may be: what `fetch` takes, and nothing that would show a password. */
function isApiUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

const periodicNote = {
  folder: vaultFolder.optional(),
  format: z.string().min(1).max(200).optional(),
  template: z.string().min(1).max(500).optional(),
};

/** A scheme and a host, as browsers send it: no path behind it. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*]+$/;

/** An endpoint that speaks as OpenAI, Ollama, LM Studio and others do: the user's own, never a vault's. */
const endpoint = {
  /** The base URL of its API. Without it nothing is sent anywhere. */
  url: z.string().refine(isApiUrl, 'must be an http or https URL without a user name, such as "http://127.0.0.1:11434/v1"').optional(),
  key: z
    .string()
    .regex(/^[\x21-\x7e]{1,1000}$/, 'must be a key as the endpoint gave it: printable characters without spaces')
    .optional(),
  model: z.string().min(1).max(200).optional(),
};

/** The settings, as `.rouxrc.json` and the user's own file hold them. Every default is here and nowhere else. */
export const configSchema = z.strictObject({
  /** Accepted and ignored: lets editors find a schema. */
  $schema: z.string().optional(),
  /** Groups of tools to offer: vault, tasks, memory, ontology, knowledge, admin; `default`, `all`. */
  toolsets: z.array(z.string()).default(['default']),
  /** Offer these tools only, by name, from whichever group. */
  tools: z.array(z.string()).optional(),
  /** No tool writes. */
  readOnly: z.boolean().default(false),
  /** Who writes, in the history. Without it: the name of the client. */
  agent: z.string().min(1).max(200).optional(),
  /** Gitignore patterns of notes to leave out of search and lists; links to them still work. */
  ignore: z.array(z.string()).default([]),
  /** How titles become file names. Without it: `title` where the vault's names look so, else `slug`. */
  filenames: z.enum(['slug', 'title']).default('slug'),
  /** Which new notes get an `id` in their frontmatter: those of the task, memory and ontology tools, or all. */
  ids: z.enum(['made', 'always']).default('made'),
  /** `full`: an acknowledged write has reached the disk. `relaxed`: it may be lost when the power fails. */
  durability: z.enum(['full', 'relaxed']).default('full'),
  writes: z
    .strictObject({
      /** What comes of content that replaces a note which the session never read: it is written and told of, or refused. */
      blind: z.enum(['warn', 'refuse']).default('warn'),
    })
    .prefault({}),
  /** After so many days a deleted note leaves the trash; 0: never. */
  trashDays: z.number().min(0).default(30),
  /** Whether a renamed note keeps its old title as an alias. */
  renameAlias: z.enum(['add', 'off']).default('add'),
  /** How new link texts are written. Without them: as `.obsidian/app.json` says, else `minimal`. */
  links: z
    .strictObject({
      format: z.enum(['minimal', 'shortest', 'relative', 'absolute']).optional(),
      markdown: z.boolean().optional(),
    })
    .default({}),
  /** Notes of a day, week and month (`@today`, `@this-week`), where Obsidian's settings say nothing of them. Formats are Moment's. */
  periodic: z
    .strictObject({
      daily: z.strictObject(periodicNote).default({}),
      weekly: z.strictObject(periodicNote).default({}),
      monthly: z.strictObject(periodicNote).default({}),
    })
    .prefault({}),
  /** Links broken by a rename outside roux: leave, report or fix. */
  repairExternalRenames: z.enum(['off', 'report', 'fix']).default('report'),
  tasks: z
    .strictObject({
      root: vaultFolder.default('projects'),
      /** The project of calls that name none. */
      project: z.string().optional(),
      /** After so many minutes a claim may be taken over. */
      claimTtlMinutes: z.number().positive().default(60),
      /** Resolving needs evidence. */
      requireEvidence: z.boolean().default(false),
      /** A parent resolves after its children only. */
      strictParents: z.boolean().default(false),
    })
    .prefault({}),
  memory: z
    .strictObject({
      root: vaultFolder.default('memory'),
      relations: z.enum(['off', 'warn', 'enforce']).default('warn'),
      envelope: z.enum(['off', 'warn', 'enforce']).default('warn'),
      redactSecrets: z.boolean().default(false),
    })
    .prefault({}),
  knowledge: z
    .strictObject({
      root: vaultFolder.default('knowledge'),
      /** Relations of which an entity has one at a time (`WORKS_AT`): a later one ends the one before. */
      single: z.array(z.string().min(1)).default([]),
      /** Most bytes of one request, and most items in it. */
      maxBytes: z.int().min(1024).max(8_388_608).default(1_048_576),
      maxItems: z.int().min(1).max(1000).default(100),
      /** Most items that wait; more are refused at once. */
      queue: z.int().min(1).max(1_000_000).default(10_000),
      /** So often is a stage of an item tried before it is parked. */
      attempts: z.int().min(1).max(10).default(3),
      /** So many days the same text is the same episode. */
      windowDays: z.number().positive().max(3650).default(7),
      /** Most facts that one search may ask for. */
      maxFacts: z.int().min(1).max(1000).default(100),
      /** What being near to the centre of a search counts beside words and meaning. */
      distanceWeight: z.number().min(0).max(10).default(0.2),
      limits: z
        .strictObject({
          name: z.int().min(16).max(2048).default(256),
          summary: z.int().min(16).max(65_536).default(4000),
          fact: z.int().min(16).max(16_384).default(2000),
          /** Bytes of JSON. */
          attributes: z.int().min(16).max(1_048_576).default(16_384),
        })
        .prefault({}),
    })
    .prefault({}),
  ontology: z
    .strictObject({
      protectedTypes: z.array(z.string()).default([]),
      /** Types of which a vault should have one note; `doctor` reports more. */
      singletons: z.array(z.string()).default([]),
    })
    .prefault({}),
  /** `roux serve`: the user's own, never a vault's. */
  http: z
    .strictObject({
      host: z.string().min(1).default('127.0.0.1'),
      /** 0: any free port. */
      port: z.int().min(0).max(65_535).default(7411),
      /** Whether a bearer token is asked for: every user of a machine reaches its loopback. `none` holds there only; everywhere else one is required. */
      auth: z.enum(['none', 'token']).default('token'),
      /** The bearer token; without it one is made and kept in the user's own folder. */
      token: z.string().min(16).optional(),
      /** Browser origins besides the server's own that may call. */
      origins: z.array(z.string().regex(ORIGIN, 'must be origins such as "https://app.example": no path, no "*", not "null"')).default([]),
      maxRequestBytes: z.int().min(1024).max(67_108_864).default(12_582_912),
      maxSessions: z.int().min(1).max(10_000).default(64),
      /** Of one token; more are asked to come again. */
      requestsPerMinute: z.int().min(1).max(10_000_000).default(60_000),
      sessionIdleMinutes: z.number().positive().default(30),
    })
    .prefault({}),
  /**
   * What makes search by meaning possible. `auto`: the endpoint that `embed.url` names, else a model on this machine; `local`: that alone;
   * `remote`: that endpoint; `none`: nothing. A vault may say all but `remote`.
   */
  embeddings: z.enum(['auto', 'local', 'remote', 'none']).default('auto'),
  /** What embeds: texts of the vault are sent to it. */
  embed: z.strictObject(endpoint).prefault({}),
  /** What reads facts from episodes: their texts are sent to it. */
  extract: z.strictObject({ ...endpoint, timeoutSeconds: z.number().positive().max(3600).default(120) }).prefault({}),
  /** The least severe diagnostics that are written to stderr. */
  log: z.enum(['error', 'warn', 'info']).default('warn'),
});

export type Config = z.output<typeof configSchema> & {
  /** Names settings of the vault's own file that are not applied, since this user does not trust the folder; absent where there are none. */
  readonly untrusted?: string;
};

/** What calls are run with, as settings can change while a vault is served. */
export interface Settings {
  readonly config: Config;
  /** What is to be said of them, to each session once. */
  readonly warnings: readonly string[];
}

/** Settings from one place; later layers win over earlier ones. */
export interface ConfigLayer {
  /** For messages: `.rouxrc.json`, `ROUX_TOOLSETS`, `--toolsets`. */
  readonly source: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Merges the layers and checks the result; the error names the place, the key and what is valid there. */
export function parseConfig(layers: readonly ConfigLayer[]): Config {
  let merged: Readonly<Record<string, unknown>> = {};
  let config = configSchema.parse({});
  for (const { source, values } of layers) {
    merged = merge(merged, values);
    const result = configSchema.safeParse(merged);
    if (!result.success) throw describe(result.error.issues[0], source);
    config = result.data;
  }
  return config;
}

/** A setting and the kind of value it takes. */
export interface Setting {
  /** Dotted: `http.port`. */
  readonly key: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'list';
}

/** One setting, by its dotted key, from the text of a variable or a flag, or as a value of its kind. What does not read as its kind is left for the check to refuse. */
export function settingLayer(given: {
  readonly source: string;
  readonly key: string;
  readonly value: string | number | boolean;
}): ConfigLayer {
  const { source, key, value } = given;
  const kind = typeof value === 'string' ? listSettings().find((setting) => setting.key === key)?.kind : undefined;
  return { source, values: nest(key.split('.'), typeof value === 'string' ? readText(value, kind ?? 'text') : value) };
}

function readText(text: string, kind: Setting['kind']): unknown {
  switch (kind) {
    case 'list':
      return text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '');
    case 'number':
      return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
    case 'boolean':
      if (/^(1|true|yes|on)$/i.test(text)) return true;
      return /^(0|false|no|off)$/i.test(text) ? false : text;
    case 'text':
      return text;
  }
}

/** A value at the end of a path of keys. */
function nest(keys: readonly string[], value: unknown): Record<string, unknown> {
  const [first = '', ...rest] = keys;
  return { [first]: rest.length === 0 ? value : nest(rest, value) };
}

/** Every setting, for environment variables and documentation. */
export function listSettings(): readonly Setting[] {
  const found: Setting[] = [];
  const visit = (schema: z.core.JSONSchema._JSONSchema, path: readonly string[]): void => {
    if (typeof schema === 'boolean') return;
    if (schema.properties !== undefined) {
      for (const [key, value] of Object.entries(schema.properties)) visit(value, [...path, key]);
    } else if (path[0] !== '$schema') {
      found.push({ key: path.join('.'), kind: kindOf(schema.type) });
    }
  };
  visit(z.toJSONSchema(configSchema, { io: 'input' }), []);
  return found;
}

/** The variable of a setting: `tasks.claimTtlMinutes` is `ROUX_TASKS_CLAIM_TTL_MINUTES`. */
export function variableOf(key: string): string {
  return `ROUX_${key.replaceAll('.', '_').replace(/[A-Z]/g, (letter) => `_${letter}`)}`.toUpperCase();
}

function kindOf(type: unknown): Setting['kind'] {
  if (type === 'array') return 'list';
  if (type === 'boolean') return 'boolean';
  return type === 'number' || type === 'integer' ? 'number' : 'text';
}

function merge(under: Readonly<Record<string, unknown>>, over: Readonly<Record<string, unknown>>): Record<string, unknown> {
  // Without a prototype `__proto__` is a key like any other, and so an unknown one.
  const merged: Record<string, unknown> = Object.assign(Object.create(null), under);
  for (const [key, value] of Object.entries(over)) {
    const below = merged[key];
    merged[key] = isRecord(value) && isRecord(below) ? merge(below, value) : value;
  }
  return merged;
}

function describe(issue: z.core.$ZodIssue | undefined, source: string): RouxError {
  const path = (issue?.path ?? []).join('.');
  if (issue?.code === 'unrecognized_keys') {
    // The key may be of any length.
    const key = (issue.keys[0] ?? '').slice(0, 60);
    const valid = listSettings()
      .map((setting) => setting.key)
      .filter((name) => path === '' || name.startsWith(`${path}.`))
      .map((name) => (path === '' ? (name.split('.')[0] ?? name) : name.slice(path.length + 1)));
    const known = [...new Set(valid)];
    const full = path === '' ? key : `${path}.${key}`;
    const place = path === '' ? '' : ` in "${path}"`;
    const message = `${source}: unknown key "${full}"${didYouMean(key, known)} Valid keys${place}: ${known.join(', ')}.`;
    return new RouxError('INVALID_CONFIG', message, { key: full, valid: known });
  }
  return new RouxError('INVALID_CONFIG', `${source}: "${path}" is not valid: ${issue?.message ?? 'unreadable'}.`, { key: path });
}
