import { expect, it } from 'vitest';
import { isLong } from '../support/effort.ts';
import { withVault } from '../support/vault.ts';
import { countChanges, importInto } from './run-import.ts';
import { conversation, node } from './samples/chatgpt.ts';

/** What one write takes. */
const A_WRITE = 500;
const CONVERSATIONS = (isLong ? 4 : 2) * A_WRITE;

it('O-06 very many conversations come in few writes, and importing them again takes no write', () =>
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
        CONVERSATIONS / A_WRITE,
        CONVERSATIONS,
      ]);
      expect(await importInto(vault, source.root)).toMatchObject({ notes: [], unchanged: CONVERSATIONS, batches: [] });
    }),
  ));
