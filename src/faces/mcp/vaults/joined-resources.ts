import * as z from 'zod';
import { errorMessage } from '../../../errors.ts';
import { isRecord } from '../../../is-record.ts';
import { shorten } from '../../../ops/shorten.ts';
import { GRAPH_APP } from '../app/graph-app.ts';
import { defineRequest, FAULTS, ProtocolFault } from '../surface/request.ts';
import type { Answered, RequestContext, RequestKind } from '../surface/request.ts';
import type { ResourceListener, Touched } from '../surface/resource-changes.ts';
import { MAX_URI_CHARACTERS, MEMORY } from '../surface/resource-uris.ts';
import type { JoinedVault } from './joined-vault.ts';

/** `roux://vaults/notes/note/a.md` is `roux://note/a.md` of the vault `notes`. */
const SCHEME = 'roux://';
const VAULTS = `${SCHEME}vaults/`;
const MEMORY_PART = MEMORY.slice(MEMORY.indexOf('//') + 2);

export const JOINED_TEMPLATE = `${VAULTS}{vault}/note/{path}`;

/** A resource among those of all vaults. */
interface Place {
  readonly vault: JoinedVault;
  /** Its URI in that vault. */
  readonly uri: string;
}

/** Answers requests for the resources of all vaults: one after the other. */
export function resourceRequests(vaults: readonly JoinedVault[]): readonly RequestKind[] {
  return [
    defineRequest({
      method: 'resources/list',
      params: z.object({ cursor: z.string().optional() }).optional(),
      answer: (params, context) => listFrom(vaults, readCursor(params?.cursor), context),
    }),
    defineRequest({
      method: 'resources/templates/list',
      params: z.object({}).optional(),
      answer: () => ({
        resourceTemplates: [
          {
            uriTemplate: JOINED_TEMPLATE,
            name: 'note',
            description: 'The Markdown text of one note of a vault.',
            mimeType: 'text/markdown',
          },
        ],
      }),
    }),
    defineRequest({
      method: 'resources/read',
      params: z.object({ uri: z.string() }),
      async answer({ uri }, context) {
        const place = uri === GRAPH_APP && vaults[0] !== undefined ? { vault: vaults[0], uri } : findPlace(vaults, uri);
        if (place === null) throw notFound(uri);
        try {
          const { contents } = await place.vault.surface.answer('resources/read', { uri: place.uri }, context);
          return { contents: (contents as readonly object[]).map((content) => ({ ...content, uri })) };
        } catch (error) {
          throw error instanceof ProtocolFault && error.code === FAULTS.resourceNotFound ? notFound(uri) : error;
        }
      },
    }),
  ];
}

/** Throws if a URI cannot be a resource of any of the vaults. */
export function requireFollowable(vaults: readonly JoinedVault[], uri: string): void {
  const place = findPlace(vaults, uri);
  if (place === null) throw new ProtocolFault(FAULTS.invalidParams, `Cannot subscribe to ${shorten(uri, MAX_URI_CHARACTERS)}.`);
  place.vault.surface.requireFollowable(place.uri);
}

/** Notifies a listener of the changes of all vaults that can be opened. Rejects if none can. */
export async function followAll(vaults: readonly JoinedVault[], listener: ResourceListener): Promise<() => void> {
  const followed = await Promise.allSettled(
    vaults.map((vault) =>
      vault.surface.follow({
        updated: (touched) => listener.updated(outside(vaults, vault, touched)),
        listChanged: () => listener.listChanged(),
      }),
    ),
  );
  const stops = followed.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failure = followed.find((one) => one.status === 'rejected');
  if (stops.length === 0 && failure !== undefined) throw failure.reason;
  return () => {
    for (const stop of stops) stop();
  };
}

/** Returns what was touched in a vault, by the URIs that it has outside. */
function outside(vaults: readonly JoinedVault[], vault: JoinedVault, touched: Touched): Touched {
  return {
    has(uri) {
      const place = findPlace(vaults, uri);
      return place !== null && place.vault === vault && touched.has(place.uri);
    },
    *uris() {
      // As listed, and as a client may have written the name.
      for (const name of new Set([encodeURIComponent(vault.name), vault.name])) {
        for (const uri of touched.uris()) yield toOutside(name, uri);
      }
    },
  };
}

/** Where a list goes on: at a vault, and at a cursor in it. */
interface Cursor {
  readonly at: number;
  readonly inner: string | undefined;
}

function readCursor(cursor: string | undefined): Cursor {
  if (cursor === undefined) return { at: 0, inner: undefined };
  const [, at = '', inner = ''] = /^(\d{1,4}) (.*)$/s.exec(cursor) ?? [];
  if (at === '') throw new ProtocolFault(FAULTS.invalidParams, 'The cursor is not of this list; begin without one.');
  return { at: Number(at), inner: inner === '' ? undefined : inner };
}

/**
 * Lists one page of a vault. One that cannot be opened is passed over. If none can, the list fails as the last of them: an empty one would
 * say that there is nothing.
 */
async function listFrom(vaults: readonly JoinedVault[], from: Cursor, context: RequestContext): Promise<Answered> {
  let failure: unknown;
  for (const [at, { name, host, surface }] of vaults.entries()) {
    if (at < from.at) continue;
    const inner = at === from.at ? from.inner : undefined;
    try {
      const page = await surface.answer('resources/list', inner === undefined ? {} : { cursor: inner }, context);
      const { resources, nextCursor } = page as { readonly resources: readonly Answered[]; readonly nextCursor?: string };
      // The page that shows graphs is one for all.
      const own = at === 0 ? resources : resources.filter(({ uri }) => uri !== GRAPH_APP);
      const next = at + 1 < vaults.length ? `${at + 1} ` : undefined;
      const cursor = nextCursor === undefined ? next : `${at} ${nextCursor}`;
      return {
        resources: own.map((resource) => toOuterEntry(name, resource)),
        ...(cursor === undefined ? {} : { nextCursor: cursor }),
      };
    } catch (error) {
      host.log.warn(`resources/list: ${errorMessage(error)}`);
      failure = error;
    }
  }
  if (from.at === 0 && failure !== undefined) throw failure;
  return { resources: [] };
}

/** Gives an entry of a list its URI outside, and a name by which people tell two notes of one title apart. */
function toOuterEntry(vault: string, entry: Answered): Answered {
  if (!isRecord(entry) || entry['uri'] === GRAPH_APP) return entry;
  return { ...entry, uri: toOutside(encodeURIComponent(vault), String(entry['uri'])), name: `${vault}: ${String(entry['name'])}` };
}

function toOutside(vault: string, uri: string): string {
  return `${VAULTS}${vault}/${uri === MEMORY ? MEMORY_PART : uri.slice(SCHEME.length)}`;
}

/** Finds the vault of a URI; null if it names none. */
function findPlace(vaults: readonly JoinedVault[], uri: string): Place | null {
  const [, part = '', rest = ''] = /^roux:\/\/vaults\/([^/]+)\/(.+)$/s.exec(uri) ?? [];
  // As listed; then as a client may have written the name, unless that is how another one is listed.
  const vault = vaults.find(({ name }) => name === decode(part)) ?? vaults.find(({ name }) => name === part);
  if (vault === undefined) return null;
  return { vault, uri: rest === MEMORY_PART ? MEMORY : SCHEME + rest };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part).normalize('NFC');
  } catch {
    return part;
  }
}

function notFound(uri: string): ProtocolFault {
  const shown = shorten(uri, MAX_URI_CHARACTERS);
  return new ProtocolFault(FAULTS.resourceNotFound, `Resource not found: ${shown}`, { uri: shown });
}
