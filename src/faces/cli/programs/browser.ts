import { spawn } from 'node:child_process';
import { findProgram } from '../../../on-path.ts';

/** What opens an address in the browser that the user chose, by system; the address comes last. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an address in the user's browser, and waits for nothing; false where there is no way to. */
export function openAddress(address: string, { vault }: { readonly vault: string }): boolean {
  const [name = '', ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const program = findProgram(name, { vault });
  if (program === null) return false;
  const child = spawn(program, [...args, address], { stdio: 'ignore', detached: true });
  // It is told by its absence: the address stands above it all the same.
  child.on('error', () => undefined);
  child.unref();
  return true;
}
