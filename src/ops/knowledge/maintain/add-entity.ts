import { RouxError } from '../../../errors.ts';
import { checkJson } from '../../../extraction/json-bounds.ts';
import { isBlankText, oneLine } from '../../../extraction/names.ts';
import { currentTime, writeMeta } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { KnowledgeDraft } from '../ingest/draft.ts';
import { checkText } from '../limits.ts';
import { toEntityNode } from '../retrieve/wire.ts';
import type { EntityNode } from '../retrieve/wire.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';

/** An entity as a caller gives it. */
export interface GivenEntity {
  readonly uuid: string;
  readonly group_id: string;
  readonly name: string;
  readonly summary?: string | undefined;
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
}

/** Levels that the attributes of an entity nest at most: what frontmatter keeps. */
const DEPTH = 12;

/** Makes an entity, or updates summary and attributes of the one with this uuid; the time of its making stays (S3-11). */
export async function addEntity(
  context: OperationContext,
  { uuid, group_id: groupId, summary, attributes, ...given }: GivenEntity,
): Promise<EntityNode> {
  const { vault, config } = context;
  const { limits, maxBytes } = config.knowledge;
  const name = oneLine(given.name);
  if (isBlankText(name)) throw new RouxError('INVALID_ARGUMENT', 'name is blank; it needs a text that can be read.', { field: 'name' });
  checkText('name', given.name, limits.name);
  checkText('summary', summary, limits.summary);
  if (attributes !== undefined) {
    const bytes = Buffer.byteLength(JSON.stringify(attributes));
    if (bytes > limits.attributes)
      throw new RouxError('LIMIT_EXCEEDED', `attributes are ${bytes} bytes of JSON; ${limits.attributes} at most are kept.`, {
        field: 'attributes',
        limit: limits.attributes,
      });
    checkJson({ attributes }, { depth: DEPTH + 1, size: maxBytes });
  }
  const index = knowledgeOf(vault);
  const { result } = await vault.write(writeMeta(context, 'kg_add_entity_node'), (graph) => {
    index.refresh();
    const at = currentTime(context);
    const draft = new KnowledgeDraft({ vault, index, graph, at, agent: context.agent, isSingle: () => false });
    const entity = draft.putEntity(groupId, {
      uuid,
      name,
      ...(summary === undefined ? {} : { summary }),
      ...(attributes === undefined ? {} : { attributes }),
    });
    return { files: draft.files(), result: toEntityNode(entity) };
  });
  return result as EntityNode;
}
