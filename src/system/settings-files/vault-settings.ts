import { homedir } from 'node:os';
import { join } from 'node:path';
import { configSchema, listSettings, variableOf } from '../../config.ts';
import { RouxError } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import { userConfigFolder } from '../user-folders.ts';
import { USER_CONFIG_FILE } from './default-settings.ts';

/**
 * Settings that a vault's own file must not contain, since the vault may come from anybody: where roux listens and who may call, where
 * texts are sent to be embedded or read, which program reads pictures, the name in the history, durability, and what is logged.
 */
const USER_ONLY_SETTINGS = ['http', 'embed', 'extract', 'ocr', 'agent', 'durability', 'log'];

/** Settings of a vault's own file that apply only in a trusted folder, because they make roux write by itself. */
const TRUST_ONLY_SETTINGS: Readonly<Record<string, unknown>> = { repairExternalRenames: 'fix', okfIndexes: 'keep' };

/** Whether a setting of a vault's own file applies only in a trusted folder. */
export function needsTrust([key, value]: readonly [string, unknown]): boolean {
  return Object.hasOwn(TRUST_ONLY_SETTINGS, key) && TRUST_ONLY_SETTINGS[key] === value;
}

/** The command-line flags for the user's own settings. */
export const FLAGS: Readonly<Record<string, string>> = {
  'http.host': '--host',
  'http.port': '--port',
  'http.token': '--token',
  'http.auth': '--auth',
  'http.publicUrl': '--public-url',
  'http.clientHosts': '--client-hosts',
  agent: '--agent',
};

/** Throws if a vault's own file contains a setting that belongs to the user; the message says where to put it. */
export function refuseUserSettings(
  source: string,
  values: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): void {
  const key = USER_ONLY_SETTINGS.find((name) => Object.hasOwn(values, name));
  if (key !== undefined) {
    const full = findFirstKey(key, values[key]);
    throw refusal(
      full,
      `${source}: "${full}" may not be set by a vault: whoever made the folder would decide it for everybody who opens it.`,
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

/** Returns the full key of the first setting in a section, such as `http.host`; the section itself if it is empty. */
function findFirstKey(key: string, value: unknown): string {
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

/**
 * Formats the path of the user's settings file, starting with `~` if it is in the home folder, else with the variable that determines it.
 */
export function userConfigName(env: Readonly<Record<string, string | undefined>>): string {
  const file = join(userConfigFolder(env), USER_CONFIG_FILE);
  if (file.startsWith(join(homedir(), '/'))) return `~/${file.slice(join(homedir(), '/').length).replaceAll('\\', '/')}`;
  return `${process.platform === 'win32' ? '%APPDATA%' : '$XDG_CONFIG_HOME'}/roux/${USER_CONFIG_FILE}`;
}
