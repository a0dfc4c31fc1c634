import type { MadeCall } from './made-call.js';
import { UnwrappedCalls } from './unwrapped-calls.js';

const made = (key: string, parent?: MadeCall, changes: Partial<MadeCall> = {}): MadeCall => ({
  spanId: key,
  type: 'llm',
  parent,
  path: [...(parent?.path ?? []), key],
  args: undefined,
  isUnseen: false,
  source: undefined,
  isLookedUp: false,
  hasOtherArguments: false,
  isMocked: false,
  usage: undefined,
  hasFailed: false,
  isLive: false,
  unanswerable: undefined,
  ...changes,
});

/** What is found after these steps, in their order. */
function findAfter(...steps: readonly ((calls: UnwrappedCalls) => void)[]): [string, boolean][] {
  const calls = new UnwrappedCalls();
  for (const step of steps) step(calls);
  return calls.find().map(({ key, isAgainstPolicy }) => [key, isAgainstPolicy]);
}
const open =
  (call: MadeCall, isToBeAnswered = true) =>
  (calls: UnwrappedCalls): void => {
    calls.opened(call, isToBeAnswered);
  };
const wrap =
  (call: MadeCall) =>
  (calls: UnwrappedCalls): void => {
    calls.wrapped(call);
  };
const end =
  (call: MadeCall) =>
  (calls: UnwrappedCalls): void => {
    calls.ended(call);
  };

const desk = made('desk', undefined, { type: 'function', path: [] });

describe('a model call that only an adapter saw', () => {
  it('ran, against a policy that mocks it', () => {
    const chat = made('chat', desk);
    expect(findAfter(open(chat), end(chat))).toEqual([['chat', true]]);
    expect(findAfter(open(chat, false), end(chat))).toEqual([['chat', false]]);
  });

  it('is found though it never ended, as when the replayed call did not wait for it', () => {
    expect(findAfter(open(made('chat', desk)))).toEqual([['chat', true]]);
  });

  it('ran as the policy allows below a live call, at any depth', () => {
    const live = made('plan', desk, { type: 'function', isLive: true });
    const inner = made('chat', made('step', live, { type: 'function' }));
    expect(findAfter(open(inner))).toEqual([['chat', false]]);
  });

  it('is each one of its key', () => {
    const first = made('chat', desk);
    const second = made('chat', desk);
    expect(findAfter(open(first), open(second), end(first), end(second))).toEqual([
      ['chat', true],
      ['chat', true],
    ]);
  });

  it('has no name where it is the replayed call', () => {
    expect(findAfter(open(made('', undefined, { path: [] })))).toEqual([['', true]]);
  });
});

describe('no unwrapped model call', () => {
  it('is a call of another type, a wrapped one, or one that was never opened', () => {
    const tool = made('tool', desk, { type: 'custom' });
    const chat = made('chat', desk);
    expect(findAfter(open(tool), end(tool))).toEqual([]);
    expect(findAfter(open(chat), wrap(chat), end(chat))).toEqual([]);
    expect(findAfter(wrap(chat), end(chat))).toEqual([]);
  });

  it('is one with another model call inside: that one is it', () => {
    const chat = made('chat', desk);
    const step = made('step', chat, { type: 'function' });
    const wrapped = made('request', step);
    const unwrapped = made('request', step);
    expect(findAfter(open(chat), open(wrapped), wrap(wrapped))).toEqual([]);
    expect(findAfter(open(chat), open(unwrapped))).toEqual([['request', true]]);
  });
});

describe('the run of a model by LangChain with the request of a wrapped client', () => {
  const run = made('langchain.ChatOpenAI', desk);
  const request = made('openai.chat', desk);

  it('is that request', () => {
    expect(findAfter(open(run), open(request), wrap(request), end(request), end(run))).toEqual([]);
  });

  it('is that request also below a call that is around both', () => {
    const chain = made('langchain.Chain', desk, { type: 'function' });
    const inChain = made('langchain.ChatOpenAI', chain);
    expect(findAfter(open(inChain), open(request), wrap(request), end(inChain))).toEqual([]);
  });

  it('is not that request before it began, after it ended, or where the request was not wrapped', () => {
    expect(findAfter(open(request), wrap(request), open(run), end(run))).toEqual([
      ['langchain.ChatOpenAI', true],
    ]);
    expect(findAfter(open(run), end(run), open(request), wrap(request))).toEqual([
      ['langchain.ChatOpenAI', true],
    ]);
    expect(findAfter(open(run), open(request), end(request), end(run))).toEqual([
      ['langchain.ChatOpenAI', true],
      ['openai.chat', true],
    ]);
  });

  it('is not that request where it is made elsewhere', () => {
    const elsewhere = made('openai.chat', made('mail', desk, { type: 'function' }));
    expect(findAfter(open(run), open(elsewhere), wrap(elsewhere), end(run))).toEqual([
      ['langchain.ChatOpenAI', true],
    ]);
  });

  it('is only that request of LangChain', () => {
    const other = made('chat', desk);
    expect(findAfter(open(other), open(request), wrap(request), end(other))).toEqual([['chat', true]]);
  });

  it('is explained by one request, which explains no second run', () => {
    const second = made('langchain.ChatOpenAI', desk);
    const steps = [open(run), open(second), open(request), wrap(request)] as const;
    expect(findAfter(...steps, end(run), end(second))).toEqual([['langchain.ChatOpenAI', true]]);
    const another = made('openai.chat', desk);
    expect(findAfter(...steps, open(another), wrap(another), end(run), end(second))).toEqual([]);
  });
});
