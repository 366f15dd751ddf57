import { tokenize } from '../../../graph/search/words/tokenize.ts';
import { sentencesWithSpeakers } from '../../../extraction/statements.ts';
import { shorten } from '../../shorten.ts';
import type { FoundFact } from '../stored/knowledge-group.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';

/** Where a fact was said. */
export interface FactOrigin {
  /** The uuid of the episode. */
  readonly episode: string;
  readonly name?: string;
  /** ISO 8601 UTC: the reference time of the episode. */
  readonly said_at: string;
  /** Who said it, by name or role, in a message. */
  readonly said_by?: string;
  /** The agent that stored the episode. */
  readonly stored_by: string;
  /** The sentence with most of the fact's words; absent where none has half of them. */
  readonly sentence?: string;
}

/** Of a fact that was said often, the origins that are returned: the newest. */
const MAX_ORIGINS = 5;
const MIN_SHARED_WORDS = 0.5;
const MAX_SENTENCE_CHARACTERS = 1_000;

/** Returns where a fact was said, the oldest first. Deleted episodes are left out. */
export function originsOf(index: KnowledgeIndex, { fact, source }: FoundFact): readonly FactOrigin[] {
  return fact.episodes.slice(-MAX_ORIGINS).flatMap((linkpath): FactOrigin[] => {
    const episode = index.at(index.targetOf({ linkpath }, source.path)?.path ?? '');
    if (episode?.kind !== 'episode') return [];
    const body = index.contentOf(episode)?.body ?? '';
    const said = findSentence(sentencesWithSpeakers({ source: episode.source, body }), fact.fact);
    return [
      {
        episode: episode.uuid,
        ...(episode.name === null ? {} : { name: episode.name }),
        said_at: episode.referenceTime,
        ...(said.speaker === null ? {} : { said_by: said.speaker }),
        stored_by: episode.createdBy,
        ...(said.text === null ? {} : { sentence: shorten(said.text, MAX_SENTENCE_CHARACTERS) }),
      },
    ];
  });
}

/** Finds the sentence that says a fact. Where none does, the speaker is the one of the whole episode. */
function findSentence(
  sentences: ReturnType<typeof sentencesWithSpeakers>,
  fact: string,
): { readonly text: string | null; readonly speaker: string | null } {
  const words = new Set(tokenize(fact));
  let best: { readonly share: number; readonly text: string; readonly speaker: string | null } | null = null;
  for (const { text, speaker } of sentences) {
    const own = new Set(tokenize(text));
    const share = words.size === 0 ? 0 : [...words].filter((word) => own.has(word)).length / words.size;
    if (best === null || share > best.share) best = { share, text, speaker };
  }
  if (best !== null && best.share >= MIN_SHARED_WORDS) return best;
  const speakers = new Set(sentences.map(({ speaker }) => speaker));
  return { text: null, speaker: speakers.size === 1 ? (sentences[0]?.speaker ?? null) : null };
}
