import type { Config } from '../../../config.ts';
import { errorMessage, RouxError } from '../../../errors.ts';
import { EXTRACTION_LIMITS, readExtraction } from '../../../extraction/extraction.ts';
import type { ExtractionLimits } from '../../../extraction/extraction.ts';
import { rulesExtractor } from '../../../extraction/rules/rules-extractor.ts';
import type { EpisodeText, Extractor } from '../../../ports.ts';
import type { Vault } from '../../../vault/vault.ts';
import { contextFor } from '../endpoint/prompt-context.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';
import type { EpisodeContent, StoredEpisode } from '../stored/shapes.ts';
import { AWAY, toFailure } from './outcome.ts';
import type { Outcome } from './outcome.ts';

/** An item with the result of its extraction. */
export interface ExtractedItem {
  readonly episode: StoredEpisode;
  readonly outcome: Outcome;
}

/** Extracts episodes: from the supplied or earlier extraction, by rules, or through an endpoint. */
export interface EpisodeExtraction {
  /** Uses the supplied extraction, else the rules. Never rejects. */
  local(episode: StoredEpisode, signal: AbortSignal): Promise<ExtractedItem>;
  /** Calls an extractor and validates its answer. Rejects with a retryable error if the answer is not valid. */
  remote(extractor: Extractor, episode: StoredEpisode, signal: AbortSignal): Promise<{ readonly found: unknown }>;
  /** Returns the present content of an episode's note. Throws `NOT_FOUND` if it cannot be read. */
  contentOf(episode: StoredEpisode): EpisodeContent;
}

/** Returns whether an item has no extraction yet. */
export function isAwaitingExtraction({ ingest }: StoredEpisode): boolean {
  return ingest?.state === 'accepted' || ingest?.state === 'extract_failed';
}

/** Extracts an episode without an endpoint: validates the supplied extraction, else applies the rules. Never rejects. */
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

export function createEpisodeExtraction(vault: Vault, index: KnowledgeIndex): EpisodeExtraction {
  const { config } = vault.settings;
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
      const content = contentOf(episode);
      const { error = null } = episode.ingest ?? {};
      const context = {
        ...contextFor(vault, index, episode, content.body),
        ...(error === null || error.code === AWAY ? {} : { previousError: error.message }),
      };
      const found = await extractor.extract({ ...toText(episode, content), context }, signal);
      try {
        const { unknownRefs } = readExtraction(found, limits);
        index.refresh();
        const group = index.group(episode.groupId);
        const unknown = unknownRefs.find((ref) => group === null || group.entity(ref) === null);
        if (unknown !== undefined) throw new RouxError('INVALID_ARGUMENT', `${JSON.stringify(unknown)} is not an entity of the group.`);
      } catch (error) {
        // A model may give a valid answer when it is asked again.
        throw new RouxError(
          'PROVIDER_ERROR',
          `The extractor gave an answer that is not valid: ${errorMessage(error)}`,
          { invalid_answer: true },
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
