import { expect, it } from 'vitest';
import { withVault } from '../support/vault.ts';
import { countChanges, importInto } from './run-import.ts';
import { conversation, node } from './samples/chatgpt.ts';

const CONVERSATIONS = 2_000;

it('O-06 thousands of conversations come in few writes, and importing them again takes no write', () =>
  withVault({}, (source) =>
    withVault({}, async (vault) => {
      const chats = Array.from({ length: CONVERSATIONS }, (_, at) =>
        conversation(
          `id-${String(at).padStart(8, '0')}`,
          at % 3 === 0 ? 'New chat' : `Chat ${at}`,
          [
            node('n1', null, { parts: [`Question ${at}?`] }),
            node('n2', 'n1', { role: 'assistant', parts: [`Answer ${at}: ${'words of it '.repeat(20)}`] }),
          ],
          'n2',
        ),
      );
      source.write('conversations.json', JSON.stringify(chats));
      const done = await importInto(vault, source.root);
      expect([countChanges(done), done.batches.length, vault.files().length]).toEqual([
        { new: CONVERSATIONS },
        CONVERSATIONS / 500,
        CONVERSATIONS,
      ]);
      expect(await importInto(vault, source.root)).toMatchObject({ notes: [], unchanged: CONVERSATIONS, batches: [] });
    }),
  ));
