import type { Config } from '../../../config.ts';
import { errorMessage, RouxError } from '../../../errors.ts';
import { EXTRACTION_LIMITS, readExtraction } from '../../../extraction/extraction.ts';
import type { ExtractionLimits } from '../../../extraction/extraction.ts';
import { rulesExtractor } from '../../../extraction/rules/rules-extractor.ts';
import type { EpisodeText, Extractor } from '../../../ports.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';
import type { EpisodeContent, StoredEpisode } from '../stored/shapes.ts';
import { toFailure } from './outcome.ts';
import type { Outcome } from './outcome.ts';

/** An item with what came of its extraction. */
export interface Ready {
  readonly episode: StoredEpisode;
  readonly outcome: Outcome;
}

/** What an episode says: as it was supplied or extracted before, by the rules, or by an endpoint. */
export interface EpisodeExtraction {
  /** Without asking anybody: what was supplied, else what the rules read. Never rejects. */
  local(episode: StoredEpisode, signal: AbortSignal): Promise<Ready>;
  /** Asks an extractor; what it gives is valid, and rejects with what may be tried again where it is not. */
  remote(extractor: Extractor, episode: StoredEpisode, signal: AbortSignal): Promise<{ readonly found: unknown }>;
  /** What the note of an episode holds now; rejects where it is gone. */
  contentOf(episode: StoredEpisode): EpisodeContent;
}

/** Whether nothing was extracted for an item yet, nor supplied with it. */
export function isToExtract({ ingest }: StoredEpisode): boolean {
  return ingest?.state === 'accepted' || ingest?.state === 'extract_failed';
}

/** Reads an episode without asking anybody: what was supplied with it, else what the rules read; checked. Never rejects. */
export async function extractLocally(text: EpisodeText, supplied: unknown, { knowledge }: Config, signal: AbortSignal): Promise<Outcome> {
  const limits = limitsOf(knowledge);
  try {
    return { extraction: readExtraction(supplied ?? (await rulesExtractor(limits).extract(text, signal)), limits) };
  } catch (error) {
    return { failure: toFailure(error, 'extract') };
  }
}

function limitsOf({ limits: { name, summary, fact, attributes } }: Config['knowledge']): ExtractionLimits {
  return { ...EXTRACTION_LIMITS, name, summary, fact, attributesBytes: attributes };
}

export function openEpisodeExtraction(index: KnowledgeIndex, config: Config): EpisodeExtraction {
  const limits = limitsOf(config.knowledge);
  const contentOf = (episode: StoredEpisode): EpisodeContent => {
    const content = index.contentOf(episode);
    if (content === null) throw new RouxError('NOT_FOUND', 'The note of the episode cannot be read.', {}, { retryable: true });
    return content;
  };
  return {
    contentOf,
    async local(episode, signal) {
      try {
        const content = contentOf(episode);
        return { episode, outcome: await extractLocally(toText(episode, content), content.extraction, config, signal) };
      } catch (error) {
        return { episode, outcome: { failure: toFailure(error, 'extract') } };
      }
    },
    async remote(extractor, episode, signal) {
      const found = await extractor.extract(toText(episode, contentOf(episode)), signal);
      try {
        const { unknownRefs } = readExtraction(found, limits);
        index.refresh();
        const group = index.group(episode.groupId);
        const unknown = unknownRefs.find((ref) => group === null || group.entity(ref) === null);
        if (unknown !== undefined) throw new RouxError('INVALID_ARGUMENT', `${JSON.stringify(unknown)} is no entity of the group.`);
      } catch (error) {
        // Asked again, a model may answer as it should.
        throw new RouxError(
          'PROVIDER_ERROR',
          `What was extracted is not valid: ${errorMessage(error)}`,
          {},
          { cause: error, retryable: true },
        );
      }
      return { found };
    },
  };
}

function toText(episode: StoredEpisode, { body }: EpisodeContent): EpisodeText {
  const { uuid, groupId, source, referenceTime, name, sourceDescription } = episode;
  return {
    uuid,
    groupId,
    source,
    body,
    referenceTime,
    ...(name === null ? {} : { name }),
    ...(sourceDescription === null ? {} : { sourceDescription }),
  };
}
