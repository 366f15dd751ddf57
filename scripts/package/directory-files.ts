import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { variableOf } from '../../src/config.ts';
import { repositoryRoot } from './publisher.ts';
import type { Published } from './publisher.ts';

/** Stands for the commit of a release, which the directory reviews and builds; no commit has it. */
const NO_COMMIT = '0'.repeat(40);

/** Pages that a reader with little room may leave out of `llms.txt`. */
const OPTIONAL = new Set(['architecture', 'embed', 'testing', 'benchmarks', 'scale', 'dependencies']);

/**
 * The files that directories of MCP servers ask for, by their paths in the repository. `commit`: the released one. Until somebody publishes,
 * nobody is named in them.
 */
export function directoryFiles(published: Published, commit: string = NO_COMMIT): Readonly<Record<string, string>> {
  return {
    'glama.json': `${JSON.stringify(glama(published), null, 2)}\n`,
    'smithery.yaml': smithery(),
    'catalogs/docker-mcp/server.yaml': dockerCatalog(published, commit),
    'llms.txt': llmsText(published),
  };
}

/** Says who may change the entry at glama.ai: users of GitHub. */
function glama({ repository }: Published): object {
  const [owner] = repository?.split('/') ?? [];
  return { $schema: 'https://glama.ai/mcp/schemas/server.json', maintainers: owner === undefined ? [] : [owner] };
}

/** Its name in Docker's catalog, where `servers/<name>` is its folder. */
const NAME = 'roux';
const VAULT_IN_IMAGE = '/vault';

/** Tells smithery.ai how the image of the Dockerfile is started over stdio. */
function smithery(): string {
  const start = `(config) => ({
  command: 'roux',
  args: ['mcp', config.vault ?? '${VAULT_IN_IMAGE}'],
  env: {
    ${variableOf('readOnly')}: String(config.readOnly ?? false),
    ${variableOf('toolsets')}: config.toolsets ?? 'default',
  },
})`;
  const properties = {
    vault: { type: 'string', title: 'Vault', description: 'The folder of your notes, as the container sees it', default: VAULT_IN_IMAGE },
    readOnly: { type: 'boolean', title: 'Read only', description: 'No tool writes', default: false },
    toolsets: { type: 'string', title: 'Toolsets', description: 'Groups of tools, with commas', default: 'default' },
  };
  const file = {
    build: { dockerfile: 'Dockerfile', dockerBuildPath: '.' },
    startCommand: {
      type: 'stdio',
      configSchema: { type: 'object', properties },
      commandFunction: start,
      exampleConfig: { vault: VAULT_IN_IMAGE },
    },
  };
  return yaml('How smithery.ai starts roux: https://smithery.ai/docs/config/smithery.yaml', file);
}

/** The entry for Docker's catalog, which is sent there as `servers/roux/server.yaml`: https://github.com/docker/mcp-registry */
function dockerCatalog({ description, repository }: Published, commit: string): string {
  const icon = repository === null ? {} : { icon: `https://raw.githubusercontent.com/${repository}/${commit}/scripts/package/icon.png` };
  const file = {
    name: NAME,
    image: `mcp/${NAME}`,
    type: 'server',
    meta: { category: 'productivity', tags: ['markdown', 'notes', 'knowledge', 'memory', 'tasks'] },
    about: { title: 'Roux', description, ...icon },
    source: { project: `https://github.com/${repository ?? `OWNER/${NAME}`}`, commit },
    run: {
      command: ['mcp', VAULT_IN_IMAGE],
      volumes: [`{{${NAME}.vault}}:${VAULT_IN_IMAGE}`],
      disableNetwork: true,
    },
    config: {
      description: 'The folder of your notes, and whether tools may write in it',
      env: [{ name: variableOf('readOnly'), example: 'false', value: `{{${NAME}.read_only}}` }],
      parameters: {
        type: 'object',
        properties: {
          vault: { type: 'string', description: 'The folder of your notes', default: '/Users/local-test' },
          read_only: { type: 'boolean', description: 'No tool writes', default: false },
        },
        required: ['vault'],
      },
    },
  };
  return yaml(`The entry for Docker's catalog of MCP servers; docs/releasing.md says how it gets there.`, file);
}

function yaml(comment: string, file: object): string {
  return `# ${comment}\n${stringify(file, { singleQuote: true, lineWidth: 0 })}`;
}

/** `llms.txt`: what there is to read, for a model that looks around. The lines are those of the README. */
function llmsText({ description, repository, version }: Published): string {
  const readme = readFileSync(`${repositoryRoot}/README.md`, 'utf8');
  const base = repository === null ? '' : `https://raw.githubusercontent.com/${repository}/v${version}/`;
  const pages = [...readme.matchAll(/^- \[docs\/[^\]]+\]\((docs\/[^)]+)\): (.+)$/gm)].map(([, path = '', about = '']) => ({
    line: `- [${titleOf(path)}](${base}${path}): ${about}`,
    isOptional: OPTIONAL.has(/([\w-]+)\.\w+$/.exec(path)?.[1] ?? ''),
  }));
  const linesOf = (isOptional: boolean): string => pages.flatMap((page) => (page.isOptional === isOptional ? page.line : [])).join('\n');
  return `# roux

> ${description}

One program, Node 20.19 or later, no other dependency. \`roux mcp VAULT\` serves a folder of Markdown notes over stdio, \`roux serve VAULT\` over HTTP with a web page. People edit the same files in Obsidian or any editor at the same time.

## Docs

- [README](${base}README.md): what it is and is not, how clients are connected, the tools
${linesOf(false)}

## Optional

${linesOf(true)}
- [Changelog](${base}CHANGELOG.md): what is new
`;
}

/** Returns the title of a page, else the name of the file. */
function titleOf(path: string): string {
  return /^# (.+)$/m.exec(readFileSync(`${repositoryRoot}/${path}`, 'utf8'))?.[1] ?? /([^/]+)$/.exec(path)?.[1] ?? path;
}
