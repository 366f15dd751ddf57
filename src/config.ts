import * as z from 'zod';
import { RouxError } from './errors.ts';
import { isRecord } from './is-record.ts';
import { didYouMean } from './suggest.ts';
import { bundleFolder, endpoint, fileCommand, HOST, isPublicUrl, ORIGIN, periodicNote, toFolders, vaultFolder } from './settings/values.ts';

const CODE_KINDS = ['dead-anchor', 'unconfirmed', 'moved-anchor'] as const;
/** The kinds of findings of `roux check`, as they are listed; `check.fail` has those for which it ends with status 1. */
export const CHECK_KINDS = [...CODE_KINDS, 'frontmatter', 'stale', 'unresolved-link', 'missing-heading', 'okf'] as const;

/** The settings in `.rouxrc.json` and in the user's own file. All defaults are defined here. */
export const configSchema = z.strictObject({
  /** Accepted and ignored: lets editors find a schema. */
  $schema: z.string().optional(),
  /** The groups of tools to offer: vault, tasks, memory, ontology, knowledge, admin; `default`, `all`. */
  toolsets: z.array(z.string()).default(['default']),
  /** Offers only these tools, from any group. */
  tools: z.array(z.string()).optional(),
  /** No tool writes. */
  readOnly: z.boolean().default(false),
  /** Tools describe their answers (`outputSchema`), and send them as `structuredContent` beside the text. */
  structured: z.boolean().default(false),
  /** The name of the writer in the history; by default the name of the client. */
  agent: z.string().min(1).max(200).optional(),
  /** Gitignore patterns of notes to leave out of search and lists; links to them still work. */
  ignore: z.array(z.string()).default([]),
  /** How titles become file names; by default `title` if the vault's files are named like that, else `slug`. */
  filenames: z.enum(['slug', 'title']).default('slug'),
  /** Which new notes get an `id` in their frontmatter: those of the task, memory and ontology tools, or all. */
  ids: z.enum(['made', 'always']).default('made'),
  /** `full`: an acknowledged write has reached the disk. `relaxed`: it may be lost when the power fails. */
  durability: z.enum(['full', 'relaxed']).default('full'),
  /** Folders that are bundles of the Open Knowledge Format; others are those whose index.md has `okf_version`. */
  okf: z.strictObject({ bundles: z.array(bundleFolder).max(1000).default([]) }).prefault({}),
  /** Whether what roux generated in the index.md and log.md files of bundles is kept up to date. */
  okfIndexes: z.enum(['off', 'keep']).default('off'),
  writes: z
    .strictObject({
      /** What happens to content that replaces a note which the session has not read. */
      blind: z.enum(['warn', 'refuse']).default('warn'),
      /** Whether people's notes get a `rev` too. */
      stamp: z.boolean().default(false),
      /** The only folders that may be written; by default all of the vault. */
      folders: z.array(z.string()).min(1).transform(toFolders).optional(),
    })
    .prefault({}),
  /** The number of days after which a deleted note leaves the trash; 0: never. */
  trashDays: z.number().min(0).default(30),
  /** Whether a renamed note keeps its old title as an alias. */
  renameAlias: z.enum(['add', 'off']).default('add'),
  /** How new links are written; by default as in `.obsidian/app.json`, else `minimal`. */
  links: z
    .strictObject({ format: z.enum(['minimal', 'shortest', 'relative', 'absolute']).optional(), markdown: z.boolean().optional() })
    .default({}),
  /** Daily, weekly and monthly notes (`@today`) if Obsidian's settings do not configure them. Formats are those of Moment. */
  periodic: z.strictObject({ daily: periodicNote, weekly: periodicNote, monthly: periodicNote }).prefault({}),
  /** What to do about links broken by a rename outside of roux. */
  repairExternalRenames: z.enum(['off', 'report', 'fix']).default('report'),
  tasks: z
    .strictObject({
      root: vaultFolder.default('projects'),
      /** The project of calls that name none. */
      project: z.string().optional(),
      /** The number of minutes after which another agent may take over a claim. */
      claimTtlMinutes: z.number().positive().default(60),
      /** Whether resolving a task needs evidence. */
      requireEvidence: z.boolean().default(false),
      /** Whether a parent can only be resolved after its children. */
      strictParents: z.boolean().default(false),
      /** Whether a task can only be resolved when all its acceptance criteria are met. */
      strictCriteria: z.boolean().default(false),
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
      /** Relations of which an entity has one value at a time: a later fact ends the previous one. By default the usual ones. */
      single: z.array(z.string().min(1)).optional(),
      /** The maximum size of a request in bytes, and of items in it. */
      maxBytes: z.int().min(1024).max(8_388_608).default(1_048_576),
      maxItems: z.int().min(1).max(1000).default(100),
      /** The maximum number of waiting items; further ones are refused at once. */
      queue: z.int().min(1).max(1_000_000).default(10_000),
      /** How often a stage of an item is tried before it is parked. */
      attempts: z.int().min(1).max(10).default(3),
      /** For how many days the same text counts as the same episode. */
      windowDays: z.number().positive().max(3650).default(7),
      /** The maximum number of facts that a search may ask for. */
      maxFacts: z.int().min(1).max(1000).default(100),
      /** The weight of the distance to the center of a search, beside words and meaning. */
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
  check: z.strictObject({ fail: z.array(z.enum(CHECK_KINDS)).default(['dead-anchor', 'unconfirmed', 'frontmatter']) }).prefault({}),
  /** `singletons`: types of which a vault should have only one note; `doctor` reports others. */
  ontology: z.strictObject({ protectedTypes: z.array(z.string()).default([]), singletons: z.array(z.string()).default([]) }).prefault({}),
  /** Settings of `roux serve`. Only the user's own settings may contain them, never a vault's. */
  http: z
    .strictObject({
      host: z.string().min(1).default('127.0.0.1'),
      /** 0: any free port. */
      port: z.int().min(0).max(65_535).default(7411),
      /** Whether a token is required, since every user of a machine reaches its loopback address. `none` applies only there. */
      auth: z.enum(['none', 'token']).default('token'),
      /** The bearer token; by default one is generated and stored in the user's own folder. */
      token: z.string().min(16).optional(),
      /** Allowed browser origins besides the server's own. */
      origins: z.array(z.string().regex(ORIGIN, 'must be origins such as "https://app.example": no path, no "*", not "null"')).default([]),
      /** The address under which clients elsewhere reach the server, through a tunnel or a proxy. With the owner's password, OAuth is on. */
      publicUrl: z
        .string()
        .refine(isPublicUrl, 'must be an https address without a path, such as "https://notes.example.com"')
        .transform((text) => new URL(text).origin)
        .optional(),
      /** The hosts from which descriptions of OAuth clients may be fetched; `*`: any. By default nothing is fetched. */
      clientHosts: z.array(z.string().regex(HOST, 'must be host names such as "claude.ai", or "*"')).max(100).default([]),
      maxRequestBytes: z.int().min(1024).max(67_108_864).default(12_582_912),
      maxSessions: z.int().min(1).max(10_000).default(64),
      /** The limit for each token; further requests are answered with 429. */
      requestsPerMinute: z.int().min(1).max(10_000_000).default(60_000),
      sessionIdleMinutes: z.number().positive().default(30),
    })
    .prefault({}),
  /**
   * The source of embeddings. `auto`: the endpoint in `embed.url` if set, else a model on this machine; `local`: only that model; `remote`:
   * only that endpoint; `none`: no semantic search. A vault's settings may contain any but `remote`.
   */
  embeddings: z.enum(['auto', 'local', 'remote', 'none']).default('auto'),
  /** The endpoint that computes embeddings; texts of the vault are sent to it. */
  embed: z.strictObject(endpoint).prefault({}),
  /** The endpoint that extracts facts from episodes; their texts are sent to it. */
  extract: z.strictObject({ ...endpoint, timeoutSeconds: z.number().positive().max(3600).default(120) }).prefault({}),
  /** The program with its arguments that reads the text in pictures, `["tesseract", "{file}", "-"]`; only the user's settings may name one. */
  ocr: z.strictObject({ command: fileCommand.optional() }).prefault({}),
  /** The lowest severity that is logged to stderr. */
  log: z.enum(['error', 'warn', 'info']).default('warn'),
});

export type Config = z.output<typeof configSchema> & {
  /** Describes the vault's own settings that do not apply, since this user does not trust the folder; undefined if none. */
  readonly untrusted?: string;
};

/** The settings for a call, since they can change while a vault is served. */
export interface Settings {
  readonly config: Config;
  /** Warnings about the settings, for each session once. */
  readonly warnings: readonly string[];
}

/** Settings from one source; later layers override earlier ones. */
export interface ConfigLayer {
  /** The name of the source for messages: `.rouxrc.json`, `ROUX_TOOLSETS`, `--toolsets`. */
  readonly source: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Merges the layers and validates the result. Throws `INVALID_CONFIG` with the source, the key and what is valid. */
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

/** A setting and its type. */
export interface Setting {
  /** A dotted path such as `http.port`. */
  readonly key: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'list';
}

/** Creates a layer with one setting. A text is converted to the setting's type, or left for the validation to refuse. */
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
      return text.split(',').flatMap((part) => part.trim() || []);
    case 'number':
      return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text);
    case 'boolean':
      if (/^(1|true|yes|on)$/i.test(text)) return true;
      return /^(0|false|no|off)$/i.test(text) ? false : text;
    case 'text':
      return text;
  }
}

/** Returns nested objects with the value at a path of keys. */
function nest(keys: readonly string[], value: unknown): Record<string, unknown> {
  const [first = '', ...rest] = keys;
  return { [first]: rest.length === 0 ? value : nest(rest, value) };
}

let listed: readonly Setting[] | null = null;

/** Returns all settings, for environment variables and documentation. */
export function listSettings(): readonly Setting[] {
  listed ??= [...settingsIn(z.toJSONSchema(configSchema, { io: 'input' }), [])];
  return listed;
}

function* settingsIn(schema: z.core.JSONSchema._JSONSchema, path: readonly string[]): Generator<Setting> {
  if (typeof schema === 'boolean') return;
  if (schema.properties !== undefined) {
    for (const [key, value] of Object.entries(schema.properties)) yield* settingsIn(value, [...path, key]);
  } else if (path[0] !== '$schema') yield { key: path.join('.'), kind: kindOf(schema.type) };
}

/** Returns the environment variable of a setting: `tasks.claimTtlMinutes` is `ROUX_TASKS_CLAIM_TTL_MINUTES`. */
export function variableOf(key: string): string {
  return `ROUX_${key.replaceAll('.', '_').replace(/[A-Z]/g, (letter) => `_${letter}`)}`.toUpperCase();
}

function kindOf(type: unknown): Setting['kind'] {
  if (type === 'array') return 'list';
  if (type === 'boolean') return 'boolean';
  return type === 'number' || type === 'integer' ? 'number' : 'text';
}

function merge(under: Readonly<Record<string, unknown>>, over: Readonly<Record<string, unknown>>): Record<string, unknown> {
  // Without a prototype, `__proto__` is an ordinary key, and so an unknown one.
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
    // The key may have any length.
    const key = (issue.keys[0] ?? '').slice(0, 60);
    const keys = listSettings().flatMap((setting) => (path === '' || setting.key.startsWith(`${path}.`) ? setting.key : []));
    const known = [...new Set(keys.map((name) => (path === '' ? (name.split('.')[0] ?? name) : name.slice(path.length + 1))))];
    const full = path === '' ? key : `${path}.${key}`;
    const place = path === '' ? '' : ` in "${path}"`;
    const message = `${source}: unknown key "${full}"${didYouMean(key, known)} Valid keys${place}: ${known.join(', ')}.`;
    return new RouxError('INVALID_CONFIG', message, { key: full, valid: known });
  }
  return new RouxError('INVALID_CONFIG', `${source}: "${path}" is not valid: ${issue?.message ?? 'unreadable'}.`, { key: path });
}
