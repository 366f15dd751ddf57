import { RouxError } from '../../../errors.ts';
import { normalizeName, normalizeRelation } from '../../../extraction/names.ts';
import type { ExtractedEdge, ExtractedNode, Extraction } from '../../../extraction/extraction.ts';
import type { GraphView } from '../../../graph/view.ts';
import { baseName, foldKey } from '../../../note/path.ts';
import type { FileChange } from '../../../vault/plan/plan.ts';
import type { Vault } from '../../../vault/vault.ts';
import { leastOrigin } from '../../../note/origin.ts';
import type { Origin } from '../../../note/origin.ts';
import { entityPath } from '../../../note/made-name.ts';
import { buildLink, buildWikilink } from '../../links.ts';
import { formatStoredFact, originOfEpisode, originToLower, planEntityChanges, planEntityCreation } from './draft-files.ts';
import type { ExtractedEpisode } from './draft-files.ts';
import { fromStored, withFacts } from './draft-entity.ts';
import type { DraftEntity } from './draft-entity.ts';
import { entitiesFolder } from '../stored/folders.ts';
import type { KnowledgeIndex } from '../stored/knowledge-index.ts';
import { statementTimes } from '../stored/shapes.ts';
import type { StoredFact } from '../stored/shapes.ts';
import { checkUuid } from '../inputs.ts';
import { reconcile, relationKey } from '../reconcile/reconcile.ts';

export interface DraftContext {
  readonly vault: Vault;
  readonly index: KnowledgeIndex;
  readonly graph: GraphView;
  /** ISO 8601 UTC with milliseconds: the system time of all changes. */
  readonly at: string;
  readonly agent: string;
  /** Whether settings or ontology say that an entity has one value of a relation at a time. */
  readonly isSingle: (relation: string) => boolean;
}

/** Collects changes of the graph before they are written. Each item is applied as a whole or not at all. */
export class KnowledgeDraft {
  readonly #context: DraftContext;
  readonly #taken = new Set<string>();
  #entities = new Map<string, DraftEntity>();
  /** New entities by group and normalised name. */
  #names = new Map<string, string>();
  /** Target uuids by the uuid of new facts. */
  readonly #targets = new Map<string, string>();
  /** Relations that this draft declares one-valued, by group. */
  readonly #single = new Set<string>();
  readonly #relations = new WeakMap<readonly StoredFact[], Map<string, StoredFact[]>>();

  constructor(context: DraftContext) {
    this.#context = context;
  }

  /** Adds or updates an entity (S3-11). Throws `CONFLICT` if another entity has the name, or if this one has another name. */
  putEntity(
    groupId: string,
    given: Required<Pick<ExtractedNode, 'uuid' | 'name'>> & ExtractedNode,
    origin: Origin | null = null,
  ): DraftEntity {
    return this.#runAtomically(() => {
      const known = this.#find(groupId, given.uuid);
      if (known !== null && known.key !== normalizeName(given.name))
        throw conflict(`The entity ${given.uuid} is called ${JSON.stringify(known.name)}; rename its note, or give that name.`, {
          uuid: given.uuid,
        });
      return this.#update(this.#resolveNode(groupId, given, null), { ...given, isWhole: true, origin });
    });
  }

  /** Adds what was extracted from an episode (S3-28). Throws if any of it is not valid, and then adds nothing. */
  putExtraction(extraction: Extraction, episode: ExtractedEpisode): void {
    this.#runAtomically(() => {
      const { groupId } = episode;
      const origin = originOfEpisode(this.#context.graph, episode);
      const ends = new Map<string, string>();
      for (const ref of extraction.unknownRefs) {
        if (this.#find(groupId, ref) === null)
          throw new RouxError('INVALID_ARGUMENT', `An edge names ${JSON.stringify(ref)}, which is not an entity of the group.`, { ref });
        ends.set(ref, ref);
      }
      for (const node of extraction.nodes) {
        const entity = this.#update(this.#resolveNode(groupId, node, episode.path), { ...node, isWhole: false, origin });
        for (const ref of [node.tmp_ref, node.uuid]) if (ref !== undefined) ends.set(ref, entity.uuid);
      }
      for (const edge of extraction.edges) this.#putFact(edge, ends, episode);
    });
  }

  files(): FileChange[] {
    const { at, agent, graph } = this.#context;
    return [...this.#entities.values()].flatMap((entity) =>
      entity.stored === null
        ? [planEntityCreation(entity, { at, agent })]
        : planEntityChanges(entity, entity.stored, at, originToLower(graph, entity.stored, entity.origin)),
    );
  }

  /** Runs a step; rolls the draft back if it throws. */
  #runAtomically<T>(step: () => T): T {
    const [entities, names] = [this.#entities, this.#names];
    this.#entities = new Map(entities);
    this.#names = new Map(names);
    try {
      return step();
    } catch (error) {
      this.#entities = entities;
      this.#names = names;
      throw error;
    }
  }

  #find(groupId: string, uuid: string): DraftEntity | null {
    const drafted = this.#entities.get(`${groupId}\n${uuid}`);
    if (drafted !== undefined) return drafted;
    const stored = this.#context.index.group(groupId)?.entity(uuid);
    return stored === undefined || stored === null ? null : fromStored(stored);
  }

  #findByName(groupId: string, key: string): DraftEntity | null {
    const uuid = this.#names.get(`${groupId}\n${key}`) ?? this.#context.index.group(groupId)?.named(key)?.uuid;
    return uuid === undefined ? null : this.#find(groupId, uuid);
  }

  /** Returns the entity of a node (S3-29, S3-35): found by its uuid, else by its name, else created. */
  #resolveNode(groupId: string, node: ExtractedNode, episodePath: string | null): DraftEntity {
    const key = normalizeName(node.name);
    const named = this.#findByName(groupId, key);
    if (node.uuid === undefined) return named ?? this.#createEntity(groupId, node, episodePath);
    const known = this.#find(groupId, node.uuid);
    if (known !== null) return known;
    if (named !== null)
      throw conflict(
        `The group already has an entity called ${JSON.stringify(named.name)}: ${named.uuid}. Pass that uuid, or another name.`,
        {
          uuid: named.uuid,
          name: named.name,
        },
      );
    return this.#createEntity(groupId, node, episodePath);
  }

  #createEntity(groupId: string, node: ExtractedNode, episodePath: string | null): DraftEntity {
    const { vault, index, graph, at } = this.#context;
    if (node.uuid !== undefined) checkUuid(node.uuid);
    const uuid = node.uuid ?? `e_${vault.ports.newId()}`;
    const path = entityPath(node.name, {
      folder: entitiesFolder(index, groupId),
      style: vault.settings.config.filenames,
      // A second note of the same name would change the target of people's links.
      isTaken: (folded) => this.#taken.has(folded) || graph.resolve({ linkpath: folded, from: '' }).kind !== 'unresolved',
    });
    this.#taken.add(foldKey(baseName(path)));
    const isIdTaken = node.uuid !== undefined && graph.lookup(node.uuid).kind !== 'missing';
    const entity: DraftEntity = {
      stored: null,
      path,
      id: isIdTaken ? `e_${vault.ports.newId()}` : uuid,
      uuid,
      groupId,
      name: node.name,
      key: normalizeName(node.name),
      summary: null,
      attributes: null,
      createdAt: at,
      origin: null,
      episode: episodePath === null ? null : buildWikilink(graph, { from: path, target: episodePath, title: baseName(episodePath) }),
      changed: new Map(),
      added: [],
    };
    this.#names.set(`${groupId}\n${entity.key}`, uuid);
    return this.#set(entity);
  }

  #set(entity: DraftEntity): DraftEntity {
    this.#entities.set(`${entity.groupId}\n${entity.uuid}`, entity);
    return entity;
  }

  /** Updates an entity. Its note comes from less than before if it is new or has new texts; facts alone have origins of their own. */
  #update(entity: DraftEntity, given: ExtractedNode & { readonly isWhole: boolean; readonly origin: Origin | null }): DraftEntity {
    const { summary = entity.summary, attributes } = given;
    const hasNewTexts = entity.stored === null || summary !== entity.summary || attributes !== undefined;
    const origin = given.origin !== null && hasNewTexts ? leastOrigin(given.origin, entity.origin ?? 'person') : entity.origin;
    const merged = attributes === undefined ? entity.attributes : given.isWhole ? attributes : { ...entity.attributes, ...attributes };
    return this.#set({ ...entity, origin, summary, attributes: merged !== null && Object.keys(merged).length === 0 ? null : merged });
  }

  #putFact(edge: ExtractedEdge, ends: ReadonlyMap<string, string>, episode: ExtractedEpisode): void {
    const { vault, graph, at } = this.#context;
    const endOf = (ref: string): DraftEntity => {
      const entity = this.#find(episode.groupId, ends.get(ref) ?? ref);
      if (entity === null)
        throw new RouxError('INVALID_ARGUMENT', `An edge names ${JSON.stringify(ref)}, which is not a node of the extraction.`, { ref });
      return entity;
    };
    const [source, target] = [endOf(edge.source_ref), endOf(edge.target_ref)];
    const { linkpath, displayText: shown } = buildLink(graph, { from: source.path, target: target.path, title: target.name });
    const uuid = `f-${vault.ports.newId()}`;
    const fact: StoredFact = {
      id: uuid,
      uuid,
      name: edge.name,
      fact: edge.fact,
      linkpath,
      shown,
      validAt: edge.valid_at ?? null,
      invalidAt: edge.invalid_at ?? null,
      createdAt: at,
      expiredAt: null,
      saidAt: episode.referenceTime,
      heldAt: statementTimes({ validAt: edge.valid_at ?? null, invalidAt: edge.invalid_at ?? null, saidAt: episode.referenceTime }),
      withdrawnAt: null,
      withdrawnBy: null,
      correctedBy: null,
      cuts: [],
      earlierStarts: [],
      isNegated: edge.negated,
      isSingle: edge.single === true,
      qualifiers: edge.qualifiers ?? null,
      verified: [],
      staleAfter: null,
      episodes: [buildLink(graph, { from: source.path, target: episode.path }).linkpath],
      others: [],
      line: null,
    };
    // Refuses a fact that does not fit on a line before any of the item is stored.
    formatStoredFact(fact, source.name);
    const competing = this.#findCompeting(source, relationKey(fact)).map((known) => ({
      fact: known,
      targetUuid: this.#targetOf(known, source.path),
    }));
    const { corrects = null } = edge;
    if (corrects !== null && !competing.some((known) => known.fact.uuid === corrects))
      throw new RouxError(
        'INVALID_ARGUMENT',
        `An edge corrects ${JSON.stringify(corrects)}, which is not a fact of the same entity and relation; name one that kg_search_facts found.`,
        { corrects },
      );
    const rules = {
      now: at,
      isSingle: this.#isSingle(episode.groupId, edge),
      newId: () => `f-${vault.ports.newId()}`,
      timeOf: (link: string) => this.#timeOf(link, source.path),
    };
    const { changed, added } = reconcile({ fact, targetUuid: target.uuid }, competing, rules, corrects);
    for (const each of added) this.#targets.set(each.fact.uuid, each.targetUuid);
    this.#set(
      withFacts(
        source,
        changed,
        added.map((each) => each.fact),
      ),
    );
  }

  #isSingle(groupId: string, { name, single }: ExtractedEdge): boolean {
    const { index, isSingle } = this.#context;
    const key = `${groupId}\n${normalizeRelation(name)}`;
    if (single === true) this.#single.add(key);
    return isSingle(name) || this.#single.has(key) || index.group(groupId)?.isSingle(name) === true;
  }

  /** Returns the facts of an entity, including those of this draft, that may compete. */
  #findCompeting({ stored, changed, added }: DraftEntity, key: string): readonly StoredFact[] {
    const facts = stored?.facts ?? [];
    let byRelation = this.#relations.get(facts);
    if (byRelation === undefined) {
      byRelation = new Map<string, StoredFact[]>();
      for (const fact of facts) {
        const known = byRelation.get(relationKey(fact));
        if (known === undefined) byRelation.set(relationKey(fact), [fact]);
        else known.push(fact);
      }
      this.#relations.set(facts, byRelation);
    }
    return [
      ...(byRelation.get(key) ?? []).map((fact) => changed.get(fact.uuid) ?? fact),
      ...added.filter((fact) => relationKey(fact) === key),
    ];
  }

  /** Returns when an episode was said; null if its note is not there yet, or no more. */
  #timeOf(linkpath: string, from: string): string | null {
    const { index } = this.#context;
    const stored = index.at(index.targetOf({ linkpath }, from)?.path ?? '');
    return stored?.kind === 'episode' ? stored.referenceTime : null;
  }

  #targetOf(fact: StoredFact, from: string): string {
    return this.#targets.get(fact.uuid) ?? this.#context.index.targetOf(fact, from)?.uuid ?? `unresolved:${fact.linkpath}`;
  }
}

function conflict(message: string, details: Readonly<Record<string, unknown>>): RouxError {
  return new RouxError('CONFLICT', message, details);
}
