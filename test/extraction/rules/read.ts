import { readExtraction } from '../../../src/extraction/extraction.ts';
import type { Extraction } from '../../../src/extraction/extraction.ts';
import { rulesExtractor } from '../../../src/extraction/rules/rules-extractor.ts';
import type { EpisodeText } from '../../../src/ports.ts';

/** Monday, in the middle of the day. */
export const REFERENCE = '2026-01-05T10:00:00.000Z';

/** What the rules read from an episode, validated. */
export async function readEpisode(body: string, given: Partial<EpisodeText> = {}): Promise<Extraction> {
  const episode: EpisodeText = { uuid: 'u', groupId: 'g', source: 'text', referenceTime: REFERENCE, body, ...given };
  return readExtraction(await rulesExtractor().extract(episode, new AbortController().signal));
}

/** Facts on a line each: `Alice WORKS_AT Acme | fact | valid_at..invalid_at`, with `!` before a relation that is negated. */
export function factsOf({ nodes, edges }: Extraction): readonly string[] {
  const nameOf = (ref: string): string => nodes.find((node) => node.tmp_ref === ref)?.name ?? ref;
  return edges.map(({ source_ref, name, target_ref, fact, valid_at = '', invalid_at = '', negated, qualifiers }) => {
    const times = valid_at === '' && invalid_at === '' ? '' : ` | ${shorten(valid_at)}..${shorten(invalid_at)}`;
    const qualified = qualifiers === undefined ? '' : ` | ${JSON.stringify(qualifiers)}`;
    return `${nameOf(source_ref)} ${negated ? '!' : ''}${name} ${nameOf(target_ref)} | ${fact}${times}${qualified}`;
  });
}

/** Days are shown as such. */
function shorten(date: string): string {
  return date.replace('T00:00:00.000Z', '');
}

export async function readFacts(body: string, given: Partial<EpisodeText> = {}): Promise<readonly string[]> {
  return factsOf(await readEpisode(body, given));
}

export async function readNames(body: string, given: Partial<EpisodeText> = {}): Promise<readonly string[]> {
  return (await readEpisode(body, given)).nodes.map(({ name }) => name);
}
