import { escapeInvisible } from '../../../terminal-text.ts';
import type { Connection, Connections } from '../../http/api/connect.ts';
import { shellLine } from '../shell-word.ts';
import { clientLines } from './client-lines.ts';
import { CLIENTS, thisMachine } from './clients.ts';
import { formatUserFile, linesFor, serverFor } from './configure.ts';

const IN_TERMINAL = 'Run this in a terminal';

/** Returns what connects each client to a vault: in the user's own configuration of the client, or to a running server. */
export function listConnections(vaultRoot: string, program: string, isTokenRequired: boolean): Connections {
  const token = isTokenRequired ? { inShell: '{token}', inFile: '{token}' } : null;
  return {
    local: listLocal(vaultRoot, program),
    remote: clientLines({ url: '{url}', token }).map(([client, text]) => ({
      client,
      ways: [{ how: text.startsWith('{') ? 'Add this to its configuration' : IN_TERMINAL, text }],
    })),
  };
}

function listLocal(vaultRoot: string, program: string): readonly Connection[] {
  const machine = thisMachine();
  return Object.entries(CLIENTS).map(([name, client]): Connection => {
    const server = serverFor({ client, vaultRoot, program, isOwn: true });
    const byHand = client.byHand?.(server, shellLine);
    if (byHand !== undefined) {
      const how = name === 'claude' ? IN_TERMINAL : byHand.how;
      return { client: client.title, ways: [{ how, text: escapeInvisible(byHand.text) }] };
    }
    const file = client.userFile?.(machine) ?? null;
    const start = [server.command, ...server.args.slice(0, server.args.indexOf('mcp'))];
    return {
      client: client.title,
      ways: [
        { how: IN_TERMINAL, text: shellLine([...start, 'init', '--client', name, '--user', vaultRoot]) },
        ...(file === null ? [] : [{ how: `Or add this to ${formatUserFile(file, machine)}`, text: linesFor(client, server).trimEnd() }]),
      ],
    };
  });
}
