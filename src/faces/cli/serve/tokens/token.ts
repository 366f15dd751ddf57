import { RouxError } from '../../../../errors.ts';
import { SCOPES } from '../../../../ops/call/access.ts';
import { didYouMean } from '../../../../suggest.ts';
import { visibleLine } from '../../../../terminal-text.ts';
import type { NamedToken, OauthGrant } from '../../../host.ts';
import { endGrant, prune } from '../../../http/oauth/grants.ts';
import { defineCommand, DONE, FINDINGS } from '../../command.ts';
import type { CommandContext, Status } from '../../command.ts';
import { formatArgument } from '../../show.ts';
import { clientLines } from '../client-lines.ts';
import { defineOptions, UsageError } from '../../options.ts';
import { setOwnerPassword } from './owner-password.ts';

const OPTIONS = defineOptions({
  scope: {
    type: 'string',
    value: 'WHAT',
    help: 'with add: what it may do; admin also empties and repairs a vault',
    choices: SCOPES,
    default: 'read',
  },
  folders: {
    type: 'string',
    value: 'a,b',
    help: 'with add: only these folders are seen and written: projects or projects/**, journal/* for what lies directly in it',
    completes: 'place',
  },
});

type TokenContext = CommandContext<typeof OPTIONS>;

/** `roux token`: named tokens for clients of a server, each with its own rights (V-04). */
export const token = defineCommand({
  name: 'token',
  summary: 'tokens for clients of roux serve: list them, add one that may do less, take one away; the password for OAuth',
  usage: '[add NAME | remove NAME | owner]',
  details: [
    'A token that is added is shown once. What is added or removed holds for a running server with its next request.',
    'Without --folders a token is for the whole vault.',
    '"roux token owner" sets the password with which you let programs in at the public URL of roux serve (OAuth): it asks twice on a terminal, and reads a line from stdin otherwise. What you let in is listed and removed like tokens.',
  ],
  group: 'serve',
  positionals: [
    { name: 'action', choices: ['add', 'remove', 'owner'], isOptional: true },
    { name: 'name', isOptional: true },
  ],
  options: OPTIONS,
  async run(context) {
    const [action, name] = context.args;
    const hasOptions = context.options.scope !== undefined || context.options.folders !== undefined;
    if (action !== 'add' && hasOptions) throw new UsageError('--scope and --folders go with "roux token add"');
    if (action === undefined) return list(context);
    if (action === 'owner') {
      if (name !== undefined) throw new UsageError('roux token owner takes no name');
      return setOwnerPassword(context);
    }
    if (name === undefined) throw new UsageError(`roux token ${action} takes one name`);
    return action === 'add' ? add(context, name) : remove(context, name);
  },
});

function list({ host, isJson, print, printJson, paint }: TokenContext): Status {
  const { serverFiles, config } = host;
  const owner = config.http.token === undefined ? { file: serverFiles.token().file } : { given: 'http.token' };
  const tokens = serverFiles.tokens.list();
  const { grants } = prune(serverFiles.oauth.read());
  const hasPassword = serverFiles.oauth.hasPassword();
  if (isJson) {
    printJson({
      owner: { ...owner, ...(hasPassword ? { password: true } : {}) },
      tokens,
      ...(grants.length === 0 ? {} : { grants: grants.map(grantJson) }),
    });
    return DONE;
  }
  const rows = [
    ...tokens.map(({ name, scope, folders, created }) => [name, scope, foldersOf(folders), `made ${created}`] as const),
    ...grants.map((grant) => [grant.name, grant.scope, foldersOf(grant.folders), howGranted(grant)] as const),
  ];
  const width = (column: 0 | 1 | 2): number => Math.max(...rows.map((row) => row[column].length), 5);
  const password = hasPassword ? '; a password lets programs in by OAuth' : '';
  print(`${paint.bold('owner'.padEnd(width(0)))}  ${'admin'.padEnd(width(1))}  the whole vault; ${whereabouts(owner)}${password}`);
  for (const [name, scope, folders, origin] of rows) {
    const columns = [name.padEnd(width(0)), scope.padEnd(width(1)), visibleLine(folders).padEnd(width(2))];
    print(`${paint.bold(columns[0] ?? '')}  ${columns[1]}  ${columns[2]}  ${paint.dim(origin)}`);
  }
  return DONE;
}

function whereabouts(owner: { readonly file: string } | { readonly given: string }): string {
  return 'file' in owner ? `the token is in ${visibleLine(owner.file)}` : `the token is the one of the setting ${owner.given}`;
}

function howGranted({ clientName, created, used }: OauthGrant): string {
  return `for ${visibleLine(clientName)} by OAuth, allowed ${created}, last refreshed ${used}`;
}

function grantJson({ name, scope, folders, created, used, clientId, clientName }: OauthGrant) {
  return { name, scope, folders, created, used, client_id: clientId, client_name: clientName };
}

function foldersOf(folders: NamedToken['folders']): string {
  return folders === null ? 'the whole vault' : folders.join(', ');
}

function add({ host, options, isJson, print, printJson, note, paint }: TokenContext, name: string): Status {
  const { scope = 'read' } = options;
  const given = options.folders?.split(',').map((folder) => folder.trim());
  const { tokens, oauth } = host.serverFiles;
  if (prune(oauth.read()).grants.some((grant) => grant.name === name))
    throw new RouxError('INVALID_PARAMS', `A program that you let in is called "${name}"; choose another name.`);
  const text = tokens.add({ name, scope, folders: given ?? null });
  const { folders = null } = tokens.list().find((kept) => kept.name === name) ?? {};
  const url = `${host.serverFiles.running()?.url ?? `http://127.0.0.1:${host.config.http.port}`}/mcp`;
  if (isJson) printJson({ name, scope, folders, token: text, mcp: url });
  else {
    print(
      `${paint.bold(name)} may ${scope} ${folders === null ? 'the whole vault' : visibleLine(foldersOf(folders))}. Its token, shown this once:`,
    );
    print(`\n  ${paint.green(text)}\n`);
    for (const [client, line] of clientLines({ url, token: { inShell: text, inFile: text } })) print(`${client.padEnd(14)}${line}`);
  }
  if (host.config.http.auth === 'none')
    note(
      `${paint.yellow('!')} The server of this vault asks for no token (http.auth is "none"), so anyone who can reach it may do everything.`,
    );
  return DONE;
}

function remove({ host, isJson, print, printJson }: TokenContext, name: string): Status {
  const { tokens, oauth } = host.serverFiles;
  const isGone = tokens.remove(name) || endGrant(oauth, name);
  if (!isGone && name === 'owner')
    throw new RouxError(
      'INVALID_PARAMS',
      'The token of the owner is a file, which "roux token" names; remove that, and the next start makes another one.',
    );
  if (isJson) printJson({ name, removed: isGone });
  else if (isGone) print(`${name} is let in no more.`);
  else
    print(
      `There is no token "${formatArgument(name)}"${didYouMean(
        name,
        [...tokens.list(), ...oauth.read().grants].map((kept) => kept.name),
      )}`,
    );
  return isGone ? DONE : FINDINGS;
}
