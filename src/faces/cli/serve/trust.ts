import { existsSync } from 'node:fs';
import { visibleLine } from '../../../terminal-text.ts';
import type { TrustedFolders } from '../../host.ts';
import { defineCommand, DONE, FINDINGS } from '../command.ts';
import type { CommandContext, Status } from '../command.ts';
import { refusePartOfVault, refuseStoreUrl, requireFolder } from '../find-vault.ts';
import { UsageError } from '../options.ts';

/** `roux trust`: which vaults may act by their own settings. */
export const trust = defineCommand({
  name: 'trust',
  summary: 'let a vault that came from elsewhere, or that another user owns, act by its own settings',
  details: [
    'A vault that you made with "roux init", "roux share" or "roux clone" is trusted from the start. In any other one the settings that make',
    'roux change notes by itself are not applied ("repairExternalRenames": "fix"), and a folder of another user is not opened at all.',
    'What you trust is remembered in your own state folder: that folder at that path, and no other one that is put there later.',
  ],
  group: 'serve',
  takesVault: true,
  isStandalone: true,
  options: {
    remove: { type: 'boolean', help: 'trust it no more' },
    list: { type: 'boolean', help: 'print the folders that you trust' },
  },
  async run(context) {
    const {
      options,
      host: { root: vaultRoot },
      program: { namedVault },
    } = context;
    if (options.list === true) {
      if (options.remove === true || namedVault !== undefined) throw new UsageError('--list prints all folders; leave the rest out');
      return list(context);
    }
    refuseStoreUrl(namedVault ?? '');
    if (options.remove === true) return remove(context);
    requireFolder(vaultRoot);
    refusePartOfVault(vaultRoot);
    const isNew = context.program.trusted.add(vaultRoot);
    if (context.isJson) context.printJson({ vault: vaultRoot, trusted: true });
    else if (isNew)
      context.print(`You trust ${visibleLine(vaultRoot)}: its own settings apply. A server that runs on it has to be restarted.`);
    else context.print(`You trust ${visibleLine(vaultRoot)} already.`);
    return DONE;
  },
});

function list({ program: { trusted }, isJson, print, printJson, paint }: CommandContext): Status {
  const folders = trusted.list().map((folder) => ({ ...folder, state: stateOf(folder.path, trusted) }));
  if (isJson) printJson({ folders });
  else if (folders.length === 0) print('You trust no folder yet.');
  else
    for (const { path, since, state } of folders)
      print(`${visibleLine(path)}  ${paint.dim(`since ${since}`)}${state === 'trusted' ? '' : `  ${paint.yellow(state)}`}`);
  return DONE;
}

/** Returns whether the folder at this path is still the one that was trusted; another one may have been put there. */
function stateOf(path: string, trusted: TrustedFolders): 'trusted' | 'gone' | 'replaced' {
  if (trusted.has(path)) return 'trusted';
  return existsSync(path) ? 'replaced' : 'gone';
}

function remove({ program: { trusted }, host, isJson, print, printJson }: CommandContext): Status {
  const vaultRoot = host.root;
  const wasTrusted = trusted.remove(vaultRoot);
  if (isJson) printJson({ vault: vaultRoot, trusted: false, removed: wasTrusted });
  else if (wasTrusted) print(`You trust ${visibleLine(vaultRoot)} no more. A server that runs on it has to be restarted.`);
  else print(`You did not trust ${visibleLine(vaultRoot)}.`);
  return wasTrusted ? DONE : FINDINGS;
}
