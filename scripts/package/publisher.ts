import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isRecord } from '../../src/is-record.ts';

export const repositoryRoot: string = fileURLToPath(new URL('../..', import.meta.url));

/** What stands for the owner of the repository until somebody publishes: GitHub's registry of names lets nobody publish under it by mistake. */
const NOBODY = 'OWNER';

/** The package, and who publishes it. */
export interface Published {
  /** Its name at npm. */
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  /** Its name in the registry of MCP servers: `io.github.<owner>/roux`. */
  readonly mcpName: string;
  /** `owner/name` at GitHub; null while nobody publishes it. */
  readonly repository: string | null;
}

/** As `package.json` says. A text of it may be given, which is not there yet. */
export function readPublished(text: string = readFileSync(`${repositoryRoot}/package.json`, 'utf8')): Published {
  const manifest: unknown = JSON.parse(text);
  if (!isRecord(manifest)) throw new Error('package.json holds no object.');
  const field = (key: string): string => {
    const value = manifest[key];
    if (typeof value !== 'string') throw new Error(`package.json says no ${key}.`);
    return value;
  };
  const { repository } = manifest;
  const url = isRecord(repository) ? repository['url'] : repository;
  const [, found] = /github\.com\/([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(typeof url === 'string' ? url : '') ?? [];
  return {
    name: field('name'),
    version: field('version'),
    description: field('description'),
    license: field('license'),
    mcpName: typeof manifest['mcpName'] === 'string' ? manifest['mcpName'] : `io.github.${NOBODY}/${field('name')}`,
    repository: found ?? null,
  };
}

/** A text of `package.json` that says who publishes it: `owner/name` at GitHub. npm wants the repository for its proof of origin, the registry the name. */
export function namePublisher(text: string, repository: string): string {
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) throw new Error(`"${repository}" is no repository such as owner/name.`);
  const [owner = ''] = repository.split('/');
  const manifest = JSON.parse(text) as Record<string, unknown>;
  const { name, version, description, ...rest } = manifest;
  const said = {
    mcpName: `io.github.${owner}/${String(name)}`,
    repository: { type: 'git', url: `git+https://github.com/${repository}.git` },
  };
  return `${JSON.stringify({ name, version, description, ...rest, ...said }, null, 2)}\n`;
}
