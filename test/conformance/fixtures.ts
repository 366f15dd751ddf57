import { setTimeout } from 'node:timers/promises';
import type { Host } from '../../src/faces/host.ts';
import { ProtocolFault } from '../../src/faces/mcp/surface/request.ts';
import type { Answered, RequestContext } from '../../src/faces/mcp/surface/request.ts';
import { createSurface } from '../../src/faces/mcp/surface/surface.ts';
import type { Surface } from '../../src/faces/mcp/surface/surface.ts';
import type { Caller } from '../../src/ops/session.ts';

/** One pixel, and a sound of no length. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const text = (words: string) => ({ type: 'text', text: words });
const image = { type: 'image', data: PNG, mimeType: 'image/png' };
const embedded = (uri: string, words: string, mimeType = 'text/plain') => ({ type: 'resource', resource: { uri, mimeType, text: words } });

/** What a fixture is called with. */
type Args = Readonly<Record<string, unknown>>;
type Run = (args: Args, context: RequestContext) => Answered | Promise<Answered>;

/** The tools that the suites call, by name. Those that would ask the client for something are not here: roux asks clients for nothing. */
const TOOLS: ReadonlyMap<string, Run> = new Map<string, Run>([
  ['test_simple_text', () => ({ content: [text('This is a simple text response for testing.')] })],
  ['test_image_content', () => ({ content: [image] })],
  ['test_audio_content', () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] })],
  ['test_embedded_resource', () => ({ content: [embedded('test://embedded-resource', 'This is an embedded resource content.')] })],
  [
    'test_multiple_content_types',
    () => ({
      content: [
        text('Multiple content types test:'),
        image,
        embedded('test://mixed-content-resource', '{"test":"data","value":123}', 'application/json'),
      ],
    }),
  ],
  ['test_error_handling', () => ({ isError: true, content: [text('This tool intentionally returns an error for testing')] })],
  [
    'test_tool_with_progress',
    async (_, { progress }) => {
      for (const done of [0, 50, 100]) {
        progress?.(done, 100, 'working');
        await setTimeout(50);
      }
      return { content: [text('done')] };
    },
  ],
  [
    'test_missing_capability',
    () => {
      throw new ProtocolFault(-32_021, 'The client has to be able to sample.', { requiredCapabilities: { sampling: {} } });
    },
  ],
  ['json_schema_2020_12_tool', (args) => ({ content: [text(JSON.stringify(args))] })],
]);

/** A schema with what the suites want to see kept. */
const RICH_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // oxlint-disable-next-line unicorn/no-thenable
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const WATCHED = 'test://watched-resource';
const TEMPLATE = /^test:\/\/template\/([^/]+)\/data$/;

/** What is read at an address of a fixture; null for others. */
function readFixture(uri: string): Answered | null {
  const id = TEMPLATE.exec(uri)?.[1];
  if (id !== undefined)
    return { uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) };
  switch (uri) {
    case 'test://static-text':
      return { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' };
    case 'test://static-binary':
      return { uri, mimeType: 'image/png', blob: PNG };
    case WATCHED:
      return { uri, mimeType: 'text/plain', text: 'Watched.' };
    default:
      return null;
  }
}

const says = (...contents: readonly Answered[]) => ({ messages: contents.map((content) => ({ role: 'user', content })) });

/** The prompts that the suites get, by name, with the names of their arguments. */
const PROMPTS: ReadonlyMap<string, readonly [args: readonly string[], run: (args: Args) => Answered]> = new Map<
  string,
  readonly [readonly string[], (args: Args) => Answered]
>([
  ['test_simple_prompt', [[], () => says(text('This is a simple prompt for testing.'))]],
  [
    'test_prompt_with_arguments',
    [['arg1', 'arg2'], ({ arg1, arg2 }) => says(text(`Prompt with arguments: arg1='${String(arg1)}', arg2='${String(arg2)}'`))],
  ],
  [
    'test_prompt_with_embedded_resource',
    [
      ['resourceUri'],
      ({ resourceUri }) =>
        says(embedded(String(resourceUri), 'Embedded resource content for testing.'), text('Please process the embedded resource above.')),
    ],
  ],
  ['test_prompt_with_image', [[], () => says(image, text('Please analyze the image above.'))]],
]);

/** What roux offers, and beside it what the conformance suites ask for: they run through the same adapters. */
export function openWithFixtures(host: Host, caller: Caller): Surface {
  const surface = createSurface(host, caller);
  return {
    ...surface,
    answer: answerWithFixtures(surface),
    requireFollowable: (uri) => {
      if (uri !== WATCHED) surface.requireFollowable(uri);
    },
  };
}

function answerWithFixtures(surface: Surface): Surface['answer'] {
  return async (method, params, context) => {
    const given = (params ?? {}) as Args;
    const [name, uri] = [String(given['name']), String(given['uri'])];
    const args = (given['arguments'] ?? {}) as Args;
    const own = () => surface.answer(method, params, context);
    switch (method) {
      case 'tools/list':
        return listed(await own(), 'tools', [...TOOLS.keys()].map(toTool));
      case 'tools/call':
        return (await TOOLS.get(name)?.(args, context)) ?? own();
      case 'resources/list':
        return listed(await own(), 'resources', [
          { uri: 'test://static-text', name: 'static text', description: 'A text.', mimeType: 'text/plain' },
          { uri: 'test://static-binary', name: 'static binary', description: 'An image.', mimeType: 'image/png' },
          { uri: WATCHED, name: 'watched', description: 'One that can be followed.', mimeType: 'text/plain' },
        ]);
      case 'resources/templates/list':
        return listed(await own(), 'resourceTemplates', [
          { uriTemplate: 'test://template/{id}/data', name: 'template', description: 'A template.', mimeType: 'application/json' },
        ]);
      case 'resources/read': {
        const contents = readFixture(uri);
        return contents === null ? own() : { contents: [contents] };
      }
      case 'prompts/list':
        return listed(
          await own(),
          'prompts',
          [...PROMPTS].map(([prompt, [names]]) => ({
            name: prompt,
            description: `For the suites: ${prompt}.`,
            arguments: names.map((argument) => ({ name: argument, description: argument, required: true })),
          })),
        );
      case 'prompts/get':
        return PROMPTS.get(name)?.[1](args) ?? own();
      case 'completion/complete':
        return PROMPTS.has(String((given['ref'] as Args)['name'])) ? { completion: { values: ['paris', 'park'], hasMore: false } } : own();
      default:
        return own();
    }
  };
}

function listed(answer: Answered, key: string, more: readonly unknown[]): Answered {
  return { ...answer, [key]: [...(answer[key] as readonly unknown[]), ...more] };
}

function toTool(name: string): Answered {
  const inputSchema = name === 'json_schema_2020_12_tool' ? RICH_SCHEMA : { type: 'object', properties: {} };
  return { name, description: `For the suites: ${name}.`, inputSchema };
}
