import { RouxError } from '../../../errors.ts';
import { checkJson } from '../../../extraction/json-bounds.ts';
import { isBlankText, oneLine } from '../../../extraction/names.ts';
import type { Origin } from '../../../note/origin.ts';
import { originOfCaller, originToWrite } from '../../call/origin.ts';
import { currentTime, writeMeta } from '../../operation.ts';
import type { OperationContext } from '../../operation.ts';
import { KnowledgeDraft } from '../ingest/draft.ts';
import { checkText } from '../inputs.ts';
import { toEntityNode } from '../retrieve/wire.ts';
import type { EntityNode } from '../retrieve/wire.ts';
import { knowledgeOf } from '../stored/knowledge-index.ts';

/** An entity as the caller passed it. */
export interface GivenEntity {
  readonly uuid: string;
  readonly group_id: string;
  readonly name: string;
  readonly summary?: string | undefined;
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
  /** Who the texts come from. */
  readonly origin?: Origin | undefined;
}

/** Levels of nesting in the attributes of an entity, which become frontmatter. */
const MAX_ATTRIBUTE_DEPTH = 12;

/** Creates an entity, or updates summary and attributes of the one with this uuid (S3-11). */
export async function addEntity(
  context: OperationContext,
  { uuid, group_id: groupId, summary, attributes, ...given }: GivenEntity,
): Promise<EntityNode> {
  const { vault, config } = context;
  const { limits, maxBytes } = config.knowledge;
  const name = oneLine(given.name);
  if (isBlankText(name)) throw new RouxError('INVALID_ARGUMENT', 'name is blank; give the entity a readable name.', { field: 'name' });
  checkText('name', given.name, limits.name);
  checkText('summary', summary, limits.summary);
  if (attributes !== undefined) {
    const bytes = Buffer.byteLength(JSON.stringify(attributes));
    if (bytes > limits.attributes)
      throw new RouxError('LIMIT_EXCEEDED', `attributes are ${bytes} bytes of JSON; the limit is ${limits.attributes}.`, {
        field: 'attributes',
        limit: limits.attributes,
      });
    checkJson({ attributes }, { depth: MAX_ATTRIBUTE_DEPTH + 1, size: maxBytes });
  }
  const index = knowledgeOf(vault);
  const origin = originToWrite(context, given.origin, originOfCaller(context));
  const { result } = await vault.writes.write(writeMeta(context, 'kg_add_entity_node'), (graph) => {
    index.refresh();
    const at = currentTime(context);
    const draft = new KnowledgeDraft({ vault, index, graph, at, agent: context.agent, isSingle: () => false });
    const texts = { ...(summary === undefined ? {} : { summary }), ...(attributes === undefined ? {} : { attributes }) };
    const entity = draft.putEntity(groupId, { uuid, name, ...texts }, origin);
    return { files: draft.files(), result: toEntityNode(entity) };
  });
  return result;
}
