import { RouxError } from '../../../../errors.ts';
import { prune } from '../../../http/oauth/grants.ts';
import { CANCELLED, DONE } from '../../command.ts';
import type { CommandContext, Status } from '../../command.ts';
import { UsageError } from '../../options.ts';

/** It is the one thing that keeps strangers out at the public URL. */
const MIN_PASSWORD_CHARACTERS = 12;
const MAX_PASSWORD_CHARACTERS = 1_000;

/** Sets the password with which the owner lets programs in. It is asked for twice at a terminal, and read from stdin otherwise. */
export async function setOwnerPassword({ host, isJson, print, printJson, program }: CommandContext): Promise<Status> {
  // Read as a line, it would be shown while it is typed.
  if (program.isStdinTerminal && !program.canAsk) throw new UsageError('roux token owner asks on the terminal; do not redirect its output');
  const password = program.canAsk ? await askTwice() : readLine(await program.readInput());
  if (password === null) return CANCELLED;
  const fault = faultIn(password);
  if (fault !== null) throw new UsageError(fault);
  const { oauth } = host.serverFiles;
  await oauth.setPassword(password);
  const { grants } = prune(oauth.read());
  if (isJson) printJson({ password: true, grants: grants.length });
  else {
    print('The password is set; a running server asks for it from now on.');
    if (host.config.http.publicUrl === undefined)
      print('Programs sign in once the server has a public address: roux serve --public-url https://…');
    if (grants.length > 0) print(`Access that you gave before stays: "roux token" lists it, "roux token remove NAME" ends it.`);
  }
  return DONE;
}

/** Returns why a text cannot be the password; null if it can. */
function faultIn(password: string): string | null {
  if (password.length < MIN_PASSWORD_CHARACTERS || password.length > MAX_PASSWORD_CHARACTERS)
    return `the password needs ${MIN_PASSWORD_CHARACTERS} characters or more, and ${MAX_PASSWORD_CHARACTERS} at most`;
  return /[\p{Cc}\ufffd]/u.test(password) ? 'the password has characters that cannot be typed; is it UTF-8?' : null;
}

async function askTwice(): Promise<string | null> {
  const { typeSecret } = await import('../../pick/prompts.ts');
  const first = await typeSecret('New password for letting programs in', faultIn);
  if (first === null) return null;
  const second = await typeSecret('The same password again', () => null);
  if (second !== null && second !== first)
    throw new RouxError('INVALID_PARAMS', 'These were two different passwords; nothing was changed.');
  return second;
}

function readLine(text: string): string {
  // Some editors begin a file with a mark that nobody can type.
  const [line = ''] = text.replace(/^\ufeff/, '').split(/\r?\n/, 1);
  return line;
}
