import * as z from 'zod';
import { IS_REQUIRED } from '../../../ops/arguments.ts';
import { defineRequest, FAULTS, ProtocolFault } from '../surface/request.ts';
import type { RequestKind } from '../surface/request.ts';
import { NOTE_TEMPLATE } from '../surface/resource-uris.ts';
import { JOINED_TEMPLATE } from './joined-resources.ts';
import { findJoined } from './joined-vault.ts';
import type { JoinedVault } from './joined-vault.ts';

interface Prompt {
  readonly name: string;
  readonly arguments: readonly object[];
}

interface PromptText {
  readonly messages: readonly { readonly role: string; readonly content: { readonly type: string; readonly text: string } }[];
}

interface Completion {
  readonly values: readonly string[];
  readonly hasMore: boolean;
}

/** The limit of the protocol. */
const MAX_VALUES = 100;

/** Answers `prompts/list` and `prompts/get`: the prompts of all vaults, each with the argument `vault`. */
export function promptRequests(vaults: readonly JoinedVault[]): readonly RequestKind[] {
  return [
    defineRequest({
      method: 'prompts/list',
      params: z.object({}).optional(),
      async answer(_, context) {
        const vault = { name: 'vault', description: 'Name of the vault', required: true };
        const found = new Map<string, Prompt>();
        for (const { surface } of vaults) {
          const { prompts } = (await surface.answer('prompts/list', {}, context)) as { readonly prompts: readonly Prompt[] };
          for (const prompt of prompts)
            if (!found.has(prompt.name)) found.set(prompt.name, { ...prompt, arguments: [vault, ...prompt.arguments] });
        }
        return { prompts: [...found.values()] };
      },
    }),
    defineRequest({
      method: 'prompts/get',
      params: z.object({ name: z.string(), arguments: z.record(z.string(), z.string()).optional() }),
      async answer({ name, arguments: { vault: given, ...args } = {} }, context) {
        const names = vaults.map((vault) => vault.name).join(', ');
        if (given === undefined) throw new ProtocolFault(FAULTS.invalidParams, `vault${IS_REQUIRED}: one of ${names}.`);
        const { name: vault, surface } = findJoined(vaults, given);
        const answer = (await surface.answer('prompts/get', { name, arguments: args }, context)) as unknown as PromptText;
        const about = `This is about the vault ${JSON.stringify(vault)}: give every tool that you call vault ${JSON.stringify(vault)}.\n\n`;
        const messages = answer.messages.map(({ content, ...message }) => ({
          ...message,
          content: { ...content, text: about + content.text },
        }));
        return { ...answer, messages };
      },
    }),
  ];
}

/** Answers `completion/complete`: names of vaults, and the words of the vault that is chosen already, or of all. */
export function completionRequests(vaults: readonly JoinedVault[]): readonly RequestKind[] {
  return [
    defineRequest({
      method: 'completion/complete',
      params: z.looseObject({
        ref: z.looseObject({ type: z.string(), uri: z.string().optional() }),
        argument: z.object({ name: z.string(), value: z.string() }),
        context: z.looseObject({ arguments: z.record(z.string(), z.string()).optional() }).optional(),
      }),
      async answer({ ref, argument, context: chosen }, context) {
        if (argument.name === 'vault') {
          const beginning = argument.value.toLowerCase();
          return toCompletion(vaults.map(({ name }) => name).filter((name) => name.toLowerCase().startsWith(beginning)));
        }
        const given = chosen?.arguments?.['vault'];
        const asked = given === undefined ? vaults : [findJoined(vaults, given)];
        const inner = ref.uri === JOINED_TEMPLATE ? { ...ref, uri: NOTE_TEMPLATE } : ref;
        const complete = ({ surface }: JoinedVault) => surface.answer('completion/complete', { ref: inner, argument }, context);
        const [only, ...others] = asked;
        if (only !== undefined && others.length === 0) return complete(only);
        // A vault that cannot be opened, or has not this prompt, has no words.
        const answers = await Promise.allSettled(asked.map(complete));
        const found = answers.flatMap((answer) => (answer.status === 'rejected' ? [] : [answer.value['completion'] as Completion]));
        return toCompletion(
          found.flatMap(({ values }) => values),
          found.some(({ hasMore }) => hasMore),
        );
      },
    }),
  ];
}

/** `isCut`: whether there are more words than these. How many, nobody knows: vaults may have the same ones. */
function toCompletion(words: readonly string[], isCut = false) {
  const all = [...new Set(words)];
  const values = all.slice(0, MAX_VALUES);
  const completion: Completion = { values, hasMore: isCut || values.length < all.length };
  return { completion };
}
