import { describe, expect, it } from 'vitest';
import { withServer } from '../../../support/program/mcp-server.ts';
import { withVault } from '../../../support/vault.ts';
import { find, ok } from '../kg.ts';
import { MESSAGES } from './told.ts';

describe('a conversation as a question', () => {
  it('K-08 its last message decides, after twenty others and after a long text, in kg_get_memory and in kg_search_facts', () =>
    withVault({}, (vault) =>
      withServer(
        vault,
        async (session) => {
          const messages = MESSAGES.map(([day, content]) => ({ role_type: 'user', role: 'Nora', content, timestamp: `${day}T10:00:00Z` }));
          await ok(session, 'add_messages', { group_id: 'life', messages });
          const earlier = MESSAGES.slice(20, 40).map(([, content]) => ({ role_type: 'user', content }));
          const questions = [
            ['Do you remember what car we have? Is it still the Skoda?', 'Our car is a green Skoda'],
            ['Which plumber repaired the boiler?', 'The boiler broke'],
            ['When do I see the dentist?', 'My dentist is Dr. Pichler'],
          ] as const;
          for (const [content, answer] of questions) {
            const asked = [...earlier, { role_type: 'assistant', content: 'How nice!' }, { role_type: 'user', content }];
            const memory = await ok(session, 'get_memory', { group_id: 'life', messages: asked, max_facts: 3 });
            expect(memory.facts.map(({ fact }: { fact: string }) => fact).join('\n'), content).toContain(answer);
            const query = `${'What a day in the garden with apple trees and nettles. '.repeat(400)}\n${content}`;
            const found = await find(session, 'life', query, { max_facts: 5 });
            expect(found.map(({ fact }) => fact).join('\n'), `${content}, after a long text`).toContain(answer);
          }
          const short = [
            { role_type: 'user', content: 'Our violin maker' },
            { role_type: 'user', content: 'Where is his workshop?' },
            { role_type: 'user', content: 'And now?' },
          ];
          const memory = await ok(session, 'get_memory', { group_id: 'life', messages: short, max_facts: 3 });
          expect(memory.facts.map(({ fact }: { fact: string }) => fact).join('\n')).toContain('workshop into our cellar');
        },
        { flags: ['--toolsets', 'knowledge'] },
      ),
    ));
});
