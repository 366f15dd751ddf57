import { homedir } from 'node:os';
import { join } from 'node:path';
import { configSchema, listSettings, variableOf } from '../config.ts';
import { RouxError } from '../errors.ts';
import { isRecord } from '../is-record.ts';
import { userConfigFolder } from './user-folders.ts';

/** The file of the user's own settings, in the folder of the user's configuration. */
export const USER_CONFIG_FILE = 'config.json';

/**
 * What a vault's own file may not say, since the vault may come from anybody: where roux listens and who may call, where texts are sent
 * to be embedded or read, whose name is written into the history, what a power cut may cost, and what the user is told on stderr.
 */
const USERS_OWN = ['http', 'embed', 'extract', 'agent', 'durability', 'log'];

/** What a vault's own file may ask for, and gets only in a folder that this user trusts: roux would write by itself. */
const NEEDS_TRUST: Readonly<Record<string, unknown>> = { repairExternalRenames: 'fix' };

/** Whether a setting of a vault's file is one of these. */
export function needsTrust([key, value]: readonly [string, unknown]): boolean {
  return Object.hasOwn(NEEDS_TRUST, key) && NEEDS_TRUST[key] === value;
}

/** The flags that stand for a setting of the user's own, as the commands have them. */
export const FLAGS: Readonly<Record<string, string>> = {
  'http.host': '--host',
  'http.port': '--port',
  'http.token': '--token',
  'http.auth': '--auth',
  agent: '--agent',
};

/** Refuses the settings of a vault's file that belong to the user, and says where they go. */
export function refuseUsersOwn(
  source: string,
  values: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): void {
  const key = USERS_OWN.find((name) => Object.hasOwn(values, name));
  if (key !== undefined) {
    const full = firstBelow(key, values[key]);
    throw refusal(
      full,
      `${source}: "${full}" is not for a vault to say: whoever made the folder would decide it for everybody who opens it.`,
      env,
    );
  }
  if (values['embeddings'] === 'remote') {
    throw refusal('embeddings', `${source}: "embeddings" may not be "remote" in a vault: its notes would be sent elsewhere.`, env);
  }
  const usual = configSchema.parse({}).trashDays;
  const { trashDays } = values;
  if (typeof trashDays === 'number' && trashDays !== 0 && trashDays < usual) {
    const why = `${source}: "trashDays" may be ${usual} or more in a vault, or 0 for ever: fewer would throw away what others delete there.`;
    throw refusal('trashDays', why, env);
  }
}

/** `http.host` for `{"http": {"host": …}}`; the section itself where it holds nothing. */
function firstBelow(key: string, value: unknown): string {
  const [first] = isRecord(value) ? Object.keys(value) : [];
  return first === undefined ? key : `${key}.${first.slice(0, 60)}`;
}

function refusal(key: string, why: string, env: Readonly<Record<string, string | undefined>>): RouxError {
  const variables = listSettings()
    .filter((setting) => setting.key === key || setting.key.startsWith(`${key}.`))
    .map((setting) => variableOf(setting.key));
  const places = [`your own ${userConfigName(env)}`, ...variables.slice(0, 1), ...(FLAGS[key] === undefined ? [] : [FLAGS[key]])];
  const remedy = `Take it out of there; if you want it, put it into ${places.join(' or ')}.`;
  return new RouxError('INVALID_CONFIG', `${why} ${remedy}`, { key });
}

/** The user's own file as a person writes its name: from `~` on where it is below the home folder, else from the variable on that says where it is. */
export function userConfigName(env: Readonly<Record<string, string | undefined>>): string {
  const file = join(userConfigFolder(env), USER_CONFIG_FILE);
  if (file.startsWith(join(homedir(), '/'))) return `~/${file.slice(join(homedir(), '/').length).replaceAll('\\', '/')}`;
  return `${process.platform === 'win32' ? '%APPDATA%' : '$XDG_CONFIG_HOME'}/roux/${USER_CONFIG_FILE}`;
}
