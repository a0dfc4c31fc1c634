import fc from 'fast-check';
import type { Message } from './read-messages.js';
import { splitPrompt } from './split-prompt.js';

const say = (...roles: string[]): Message[] => roles.map((role) => ({ role, parts: [] }));
const roles = (messages: Message[]): string => messages.map(({ role }) => role).join(' ');

describe('a prompt is split', () => {
  it.each([
    ['system user', 'system', '', 'user'],
    ['system user assistant user', 'system', 'user assistant', 'user'],
    ['user assistant tool', '', '', 'user assistant tool'],
    ['system system', 'system', '', 'system'],
    ['assistant tool', '', 'assistant', 'tool'],
    ['user system user', '', 'user system', 'user'],
    ['', '', '', ''],
  ])('%s', (prompt, instructions, earlier, last) => {
    const split = splitPrompt(say(...prompt.split(' ').filter(Boolean)));
    expect([roles(split.instructions), roles(split.earlier), roles(split.last)]).toEqual([
      instructions,
      earlier,
      last,
    ]);
  });

  it('without losing a message, and never without a last one', () => {
    const role = fc.constantFrom('system', 'developer', 'user', 'assistant', 'tool');
    fc.assert(
      fc.property(fc.array(role, { minLength: 1 }), (all) => {
        const messages = say(...all);
        const { instructions, earlier, last } = splitPrompt(messages);
        expect([...instructions, ...earlier, ...last]).toEqual(messages);
        expect(last.length).toBeGreaterThan(0);
      }),
    );
  });
});
