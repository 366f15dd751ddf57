import { spawn } from 'node:child_process';
import { findProgram } from '../../../on-path.ts';

/** The command that opens a URL in the user's browser, by platform; the URL is appended. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens a URL in the user's browser without waiting for it. Returns false if no program for that exists. */
export function openAddress(address: string, { vault }: { readonly vault: string }): boolean {
  const [name = '', ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const program = findProgram(name, { vault });
  if (program === null) return false;
  const child = spawn(program, [...args, address], { stdio: 'ignore', detached: true });
  // Needs no message: the address was printed anyway.
  child.on('error', () => undefined);
  child.unref();
  return true;
}
