import * as z from 'zod';
import { errorMessage } from '../errors.ts';
import { readFolders } from '../folder-globs.ts';
import { isVaultPath } from '../note/path.ts';

/** A folder inside of the vault; dot-folders are not allowed. */
export const vaultFolder = z
  .string()
  .refine(isVaultPath, 'must be a folder inside the vault, such as "projects": relative, with "/" and without "." segments');

/** Whether a text is a URL that `fetch` accepts and that contains no password. */
function isApiUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

/** A folder that is a bundle of the Open Knowledge Format; "." is the vault itself. */
export const bundleFolder = z.union([z.literal('.'), vaultFolder]);

/** Where periodic notes are, how they are named, and what they are made from. */
export const periodicNote = z
  .strictObject({
    folder: vaultFolder.optional(),
    format: z.string().min(1).max(200).optional(),
    template: z.string().min(1).max(500).optional(),
  })
  .default({});

/** An origin as browsers send it: scheme and host without a path. */
export const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*]+$/;

/** Whether a text is an origin at which clients reach the server: https, or http on this machine. */
export function isPublicUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (text !== url.origin && text !== `${url.origin}/`)) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname));
}

/** A host name as in a URL, or any. */
export const HOST = /^(?:\*|[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)+)$/;

/** An endpoint with OpenAI's API, as Ollama and LM Studio have it; only the user's settings may name one, never a vault's. */
export const endpoint = {
  /** The base URL of the API. Without it nothing is sent anywhere. */
  url: z.string().refine(isApiUrl, 'must be an http or https URL without a user name, such as "http://127.0.0.1:11434/v1"').optional(),
  key: z
    .string()
    .regex(/^[\x21-\x7e]{1,1000}$/, 'must be a key as the endpoint gave it: printable characters without spaces')
    .optional(),
  model: z.string().min(1).max(200).optional(),
};

/** Normalizes folder patterns, or reports why they are none. */
export function toFolders(folders: readonly string[], context: z.RefinementCtx): readonly string[] {
  try {
    return readFolders(folders).patterns;
  } catch (error) {
    context.addIssue({ code: 'custom', message: errorMessage(error).replace(/\.$/, '') });
    return z.NEVER;
  }
}

/** A program with its arguments, of which one is the file that it reads. */
export const fileCommand = z
  .array(z.string().min(1))
  .refine((words) => words.includes('{file}', 1), 'must be a program and "{file}" behind it');
