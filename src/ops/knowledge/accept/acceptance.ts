import { RouxError } from '../../../errors.ts';
import type { ErrorCode } from '../../../errors.ts';
import { episodeHash } from '../../../extraction/names.ts';
import type { GraphView } from '../../../graph/view.ts';
import type { NoteChange } from '../../../note/change.ts';
import type { Origin } from '../../../note/origin.ts';
import type { FileChange, Plan } from '../../../vault/plan/plan.ts';
import { currentTime } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { KnowledgeDraft } from '../ingest/draft.ts';
import { markOf } from '../ingest/mark.ts';
import { countersOf } from '../ingest/metrics.ts';
import { applyOutcome, TRANSIENT_KEYS } from '../ingest/outcome.ts';
import type { Failure, Outcome } from '../ingest/outcome.ts';
import { singleRelations } from '../reconcile/single-relations.ts';
import { digestOf, episodeBody, episodeText } from '../stored/episode-note.ts';
import { entitiesFolder, episodePath } from '../stored/folders.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';
import type { EpisodeSource, StoredEpisode } from '../stored/shapes.ts';

/** An episode as the caller passed it. */
export interface GivenEpisode {
  readonly uuid?: string | undefined;
  readonly name?: string | undefined;
  readonly source: EpisodeSource;
  readonly body: string;
  /** ISO 8601 UTC with milliseconds. */
  readonly referenceTime: string;
  readonly sourceDescription?: string | undefined;
  /** Who the text comes from, if that is less than the caller. */
  readonly origin?: Origin | undefined;
  /** Extracted by the caller; no extractor runs then. */
  readonly extraction?: unknown;
}

/** The result of a call, available at once and the same for a repeat (S3-26). */
export interface Accepted {
  readonly receipt: string;
  readonly accepted: number;
  /** Paths of the items' notes, without duplicates. */
  readonly paths: readonly string[];
  /** Of these, the items that were accepted for the first time, or to be read again. */
  readonly fresh: readonly string[];
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Longer texts are completed by a second write, so that the history retains the accepted text in case the note is edited. */
const MAX_SINGLE_WRITE_CHARACTERS = 3_000;
/** Receipts of repeats that an item lists. */
const MAX_RECEIPTS = 20;

/** Returns whether an item is completed by the write that accepts it. */
export function isSingleWrite({ body }: GivenEpisode): boolean {
  return body.length <= MAX_SINGLE_WRITE_CHARACTERS;
}

/** Plans the acceptance of the items of one call. */
export class Acceptance {
  readonly #context: OperationContext;
  readonly #index: KnowledgeIndex;
  readonly #graph: GraphView;
  readonly #groupId: string;
  readonly #refusesInvalid: boolean;
  readonly #at: string;
  readonly #items: GivenEpisode[] = [];
  /** New items by path. */
  readonly #created = new Map<
    string,
    { readonly item: GivenEpisode; readonly uuid: string; readonly hash: string; readonly id: string; readonly place: number }
  >();
  readonly #byUuid = new Map<string, { readonly path: string; readonly hash: string }>();
  readonly #byHash = new Map<string, string>();
  /** Existing items by path, with the extraction to use if the caller passed a new one. */
  readonly #known = new Map<string, { readonly episode: StoredEpisode; readonly retriedWith?: GivenEpisode }>();

  constructor(
    context: OperationContext,
    {
      index,
      graph,
      groupId,
      refusesInvalid,
    }: { readonly index: KnowledgeIndex; readonly graph: GraphView; readonly groupId: string; readonly refusesInvalid: boolean },
  ) {
    this.#context = context;
    this.#refusesInvalid = refusesInvalid;
    this.#index = index;
    this.#graph = graph;
    this.#groupId = groupId;
    this.#at = currentTime(context);
  }

  add(item: GivenEpisode): void {
    this.#items.push(item);
    const hash = episodeHash(item);
    const known = this.#find(item, hash);
    if (known !== null) {
      if (item.uuid !== undefined && known.hash !== hash)
        throw new RouxError(
          'CONFLICT',
          `The episode ${item.uuid} already exists with another text, and episodes are immutable. Pass another uuid, or none.`,
          { uuid: item.uuid },
        );
      if (known.episode !== null && !this.#known.has(known.episode.path)) this.#repeat(known.episode, item);
      return;
    }
    const { vault } = this.#context;
    const uuid = item.uuid ?? `ep_${vault.ports.newId()}`;
    const isIdTaken = item.uuid !== undefined && vault.graph.lookup(item.uuid).kind !== 'missing';
    const id = isIdTaken ? `ep_${vault.ports.newId()}` : uuid;
    const { name = null, body, referenceTime } = item;
    const path = episodePath(this.#index, { groupId: this.#groupId, name, body, referenceTime, id });
    this.#created.set(path, { item, uuid, hash, id, place: this.#items.length });
    this.#byUuid.set(uuid, { path, hash });
    this.#byHash.set(hash, path);
  }

  /** Finds the earlier item of which this one is a repeat: by its uuid if it has one, else by its text. */
  #find({ uuid }: GivenEpisode, hash: string): { readonly hash: string; readonly episode: StoredEpisode | null } | null {
    const group = this.#index.group(this.#groupId);
    if (uuid !== undefined) {
      const planned = this.#byUuid.get(uuid);
      if (planned !== undefined) return { hash: planned.hash, episode: null };
      const episode = group?.episode(uuid) ?? null;
      return episode === null ? null : { hash: episode.ingest?.hash ?? this.#hashOf(episode), episode };
    }
    if (this.#byHash.has(hash)) return { hash, episode: null };
    const episode = group?.episodeOf(hash) ?? null;
    const since = Date.parse(this.#at) - this.#context.config.knowledge.windowDays * DAY_MS;
    return episode === null || Date.parse(episode.createdAt) < since ? null : { hash, episode };
  }

  /** Computes the hash of a note that a person wrote, which has none. */
  #hashOf(episode: StoredEpisode): string {
    return episodeHash({ ...episode, body: this.#index.contentOf(episode)?.body ?? '' });
  }

  /** Records a repeat. A parked item that comes with an extraction is retried with it. */
  #repeat(episode: StoredEpisode, item: GivenEpisode): void {
    const { extraction } = item;
    const isRetry = extraction !== undefined && (episode.ingest === null || episode.ingest.state === 'parked');
    this.#known.set(episode.path, isRetry ? { episode, retriedWith: item } : { episode });
    if (isRetry || extraction === undefined) return;
    const before = this.#index.contentOf(episode)?.extraction;
    if (JSON.stringify(before) !== JSON.stringify(extraction))
      this.#context.warn(
        `The episode ${episode.uuid} was accepted before, so the extraction passed with it was not used. Delete the episode first, or pass the facts in a new one.`,
      );
  }

  plan(outcomes: ReadonlyMap<GivenEpisode, Outcome>): Plan & { readonly result: Accepted } {
    const { queue } = this.#context.config.knowledge;
    const waiting = this.#index.pending().length;
    if (this.#created.size > 0 && waiting + this.#created.size > queue)
      throw new RouxError(
        'LIMIT_EXCEEDED',
        `The queue is full: ${waiting} of ${queue} items are waiting. Nothing was accepted; send them again later.`,
        { waiting, limit: queue },
        { retryable: true },
      );
    const same = this.#created.size === 0 ? this.#sharedReceipt() : null;
    const receipt = same ?? `r_${this.#context.vault.ports.newId()}`;
    this.#checkRetried(outcomes);
    const files = [
      ...this.#createNotes(receipt, outcomes),
      ...[...this.#known.values()].flatMap((each) => this.#changeNote(each, same === null ? receipt : null)),
    ];
    const retried = [...this.#known].flatMap(([path, { retriedWith }]) => (retriedWith === undefined ? [] : [path]));
    const created = [...this.#created.keys()];
    return {
      files,
      alsoChanges: [entitiesFolder(this.#index, this.#groupId)],
      result: { receipt, accepted: this.#items.length, paths: [...created, ...this.#known.keys()], fresh: [...created, ...retried] },
    };
  }

  /** Returns the receipt of an earlier call with exactly these items. */
  #sharedReceipt(): string | null {
    const [first, ...others] = [...this.#known.values()].map(({ episode }) => episode.ingest?.receipts ?? []);
    const shared = first?.filter((receipt) => others.every((receipts) => receipts.includes(receipt)));
    return shared?.find((receipt) => this.#index.byReceipt(receipt).length === this.#known.size) ?? null;
  }

  /** Creates the notes of new items, and those of entities that their extractions add. */
  #createNotes(receipt: string, outcomes: ReadonlyMap<GivenEpisode, Outcome>): readonly FileChange[] {
    const { vault, agent } = this.#context;
    const draft = this.#openDraft();
    const counters = countersOf(vault);
    const isOnly = this.#items.length === 1;
    const notes = [...this.#created].map(([path, { item, uuid, hash, id, place }]): FileChange => {
      const groupId = this.#groupId;
      const { source, body, referenceTime, name = null, sourceDescription = null, extraction } = item;
      const extracted = outcomes.get(item);
      const outcome = isSingleWrite(item) ? extracted : undefined;
      const target = outcome === undefined ? this.#openDraft() : draft;
      const failure =
        extracted === undefined ? null : applyOutcome(target, { groupId, path, referenceTime, origin: item.origin }, extracted);
      if (failure !== null) this.#refuseInvalid(item, failure);
      const waiting = extraction === undefined ? 'accepted' : 'extracted';
      const state = outcome === undefined ? waiting : failure === null ? 'completed' : 'parked';
      if (outcome !== undefined) counters.settle(failure);
      const digest = digestOf({ source, referenceTime, name, sourceDescription }, { body, extraction });
      const mark = outcome === undefined ? markOf(vault.ports, { uuid, groupId, digest }) : null;
      const ingest = { state, hash, mark, receipts: [receipt], error: failure, item: isOnly ? 0 : place } as const;
      const episode = {
        path,
        id,
        uuid,
        groupId,
        name,
        source,
        sourceDescription,
        referenceTime,
        body,
        extraction,
        at: this.#at,
        agent,
        origin: item.origin,
      };
      return { kind: 'create', path, text: episodeText({ ...episode, ingest }) };
    });
    return [...draft.files(), ...notes];
  }

  /** Checks the new extractions of items that were parked. */
  #checkRetried(outcomes: ReadonlyMap<GivenEpisode, Outcome>): void {
    const draft = this.#openDraft();
    for (const { episode, retriedWith } of this.#known.values()) {
      const outcome = retriedWith === undefined ? undefined : outcomes.get(retriedWith);
      const failure = outcome === undefined ? null : applyOutcome(draft, episode, outcome);
      if (retriedWith !== undefined && failure !== null) this.#refuseInvalid(retriedWith, failure);
    }
  }

  #refuseInvalid(item: GivenEpisode, { code, message }: Failure): void {
    if (!this.#refusesInvalid || item.extraction === undefined) return;
    const at = this.#items.indexOf(item);
    throw new RouxError(
      code as ErrorCode,
      `Item ${at} cannot be added: ${message} Nothing was accepted; send the call again without that.`,
      {
        item: at,
      },
    );
  }

  #openDraft(): KnowledgeDraft {
    const { vault, agent } = this.#context;
    return new KnowledgeDraft({
      vault,
      index: this.#index,
      graph: this.#graph,
      at: this.#at,
      agent,
      isSingle: singleRelations(vault),
    });
  }

  #changeNote(
    { episode, retriedWith }: { readonly episode: StoredEpisode; readonly retriedWith?: GivenEpisode },
    receipt: string | null,
  ): readonly FileChange[] {
    const extraction = retriedWith?.extraction;
    const { ingest, uuid, groupId } = episode;
    const changes: NoteChange[] = [];
    if (ingest === null || extraction !== undefined) {
      const hash = ingest?.hash ?? this.#hashOf(episode);
      const present = this.#index.contentOf(episode);
      const content = present === null ? null : { body: present.body, extraction: extraction ?? present.extraction };
      const mark = content === null ? null : markOf(this.#context.vault.ports, { uuid, groupId, digest: digestOf(episode, content) });
      changes.push(
        { op: 'set', key: ['ingest', 'state'], value: extraction === undefined ? 'accepted' : 'extracted' },
        { op: 'set', key: ['ingest', 'hash'], value: hash },
        ...(mark === null ? [] : [{ op: 'set', key: ['ingest', 'mark'], value: mark } as const]),
        ...TRANSIENT_KEYS.map((key): NoteChange => ({ op: 'unset', key: ['ingest', key] })),
      );
      if (content !== null && extraction !== undefined)
        changes.push({ op: 'body', text: episodeBody({ source: episode.source, ...content }) });
    }
    if (receipt !== null) {
      const receipts = [...(ingest?.receipts ?? []), receipt].slice(-MAX_RECEIPTS);
      changes.push({ op: 'set', key: ['ingest', 'receipts'], value: receipts.join(' ') });
    }
    return changes.length === 0 ? [] : [{ kind: 'change', path: episode.path, changes: [...changes, { op: 'touch', at: this.#at }] }];
  }
}
