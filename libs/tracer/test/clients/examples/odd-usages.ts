import type Anthropic from '@anthropic-ai/sdk';
import type { GoogleGenAI } from '@google/genai';
import type OpenAI from 'openai';
import type { Example, Print } from './example.js';

const messages = [{ role: 'user' as const, content: 'What is the weather in Oslo?' }];

/** A stream of a client made by Stainless. */
interface Stream extends AsyncIterable<object> {
  tee(): [AsyncIterable<object>, AsyncIterable<object>];
}
type AskForStream = () => PromiseLike<Stream>;

const describeError = (error: unknown): unknown => {
  const { constructor, message } = error as Error;
  return [constructor.name, message];
};

/** More than there are chunks, without waiting for any. */
async function readAtOnce(iterator: AsyncIterator<object>, print: Print): Promise<void> {
  print(await Promise.all(Array.from({ length: 40 }, () => iterator.next())));
}

async function readAll(stream: AsyncIterable<object>, print: Print, label: string): Promise<void> {
  for await (const chunk of stream) print(label, chunk);
}

/** What few applications do with a stream. */
function oddStreams<C>(ask: (client: C) => AskForStream): Record<string, Example<C>> {
  const example =
    (use: (stream: Stream, print: Print) => Promise<void>): Example<C> =>
    async (newClient, print) =>
      use(await ask(newClient())(), print);
  return {
    'a stream whose steps are asked for at once': example((stream, print) =>
      readAtOnce(stream[Symbol.asyncIterator](), print),
    ),
    'a stream with two readers': example(async (stream, print) => {
      const read = await Promise.allSettled([readAll(stream, print, 'a'), readAll(stream, print, 'b')]);
      print(read.map((one) => one.status === 'rejected' && describeError(one.reason)));
    }),
    'a stream that is read again': example(async (stream, print) => {
      await readAll(stream, print, 'first');
      await readAll(stream, print, 'again').catch((error: unknown) => {
        print(describeError(error));
      });
    }),
    'both halves of a stream, in turns': example(async (stream, print) => {
      const [left, right] = stream.tee();
      const [a, b] = [left[Symbol.asyncIterator](), right[Symbol.asyncIterator]()];
      print(await a.next(), await b.next(), await a.next());
      await readAll(right, print, 'right');
      print(await a.next());
    }),
    'a stream that is left twice': example(async (stream, print) => {
      const iterator = stream[Symbol.asyncIterator]();
      print(
        await iterator.next(),
        await iterator.return?.(7),
        await iterator.return?.(8),
        await iterator.next(),
      );
    }),
    'an error that is thrown into a stream': example(async (stream, print) => {
      const iterator = stream[Symbol.asyncIterator]();
      print(await iterator.next());
      await iterator.throw?.(new Error('mine')).catch((error: unknown) => {
        print(describeError(error));
      });
    }),
    'what a stream and its iterator look like': example(async (stream, print) => {
      const iterator = stream[Symbol.asyncIterator]();
      const { return: leave, throw: fail } = iterator;
      print(Object.keys(stream), Object.keys(iterator), Object.prototype.toString.call(iterator));
      print(
        typeof leave,
        typeof fail,
        (iterator as AsyncIterableIterator<object>)[Symbol.asyncIterator]() === iterator,
      );
      print(await iterator.next(), await iterator.return?.());
    }),
    'chunks that their reader changes': example(async (stream, print) => {
      for await (const chunk of stream) print(Object.assign(chunk, { seen: true, id: undefined }));
    }),
  };
}

export const OPENAI_ODD_USAGES: Record<string, Example<OpenAI>> = {
  ...oddStreams<OpenAI>((client) => async () => {
    return client.chat.completions.create({ model: 'm', messages, stream: true });
  }),
  'a request that is awaited in three ways': async (newClient, print) => {
    const request = newClient().chat.completions.create({ model: 'm', messages });
    const [first, { data, response }, second] = await Promise.all([request, request.withResponse(), request]);
    print(Object.keys(request), request.constructor.name);
    print(first === data, first === second, response.status, response.bodyUsed, first);
  },
  'a response that is taken before the answer': async (newClient, print) => {
    const request = newClient().chat.completions.create({ model: 'm', messages });
    const response = await request.asResponse();
    print(
      response.bodyUsed,
      (await request).id,
      response.bodyUsed,
      (await request.asResponse()) === response,
    );
  },
  'a listener that throws': async (newClient, print) => {
    const stream = newClient().chat.completions.stream({ model: 'm', messages });
    stream.on('content', () => {
      throw new Error('mine');
    });
    await stream.done().catch((error: unknown) => {
      print(describeError(error), stream.errored, stream.ended);
    });
  },
  'a method that is taken from its object': async (newClient, print) => {
    const { completions } = newClient().chat;
    const create = completions.create.bind(completions);
    print(completions.create.name, completions.create.length, Object.keys(completions));
    print((await create({ model: 'm', messages })).choices);
  },
};

export const ANTHROPIC_ODD_USAGES: Record<string, Example<Anthropic>> = {
  ...oddStreams<Anthropic>((client) => async () => {
    return client.messages.create({ model: 'm', max_tokens: 9, messages, stream: true });
  }),
  'a listener that throws': async (newClient, print) => {
    const stream = newClient().messages.stream({ model: 'm', max_tokens: 9, messages });
    stream.on('text', () => {
      throw new Error('mine');
    });
    await stream.done().catch((error: unknown) => {
      print(describeError(error), stream.errored, stream.ended);
    });
  },
  'two readers of the events of a helper': async (newClient, print) => {
    const stream = newClient().messages.stream({ model: 'm', max_tokens: 9, messages });
    await Promise.all([readAll(stream, print, 'a'), readAll(stream, print, 'b')]);
  },
};

export const GOOGLE_ODD_USAGES: Record<string, Example<GoogleGenAI>> = {
  'a stream whose steps are asked for at once': async (newClient, print) => {
    const stream = await newClient().models.generateContentStream({ model: 'm', contents: 'Hm?' });
    const steps = await Promise.all(Array.from({ length: 40 }, () => stream.next()));
    // Chunks have the time in their headers.
    print(steps.map(({ done, value }) => [done, (value as { text?: string } | undefined)?.text]));
  },
  'what a stream looks like': async (newClient, print) => {
    const stream = await newClient().models.generateContentStream({ model: 'm', contents: 'Hm?' });
    print(
      Object.keys(stream),
      Object.prototype.toString.call(stream),
      stream[Symbol.asyncIterator]() === stream,
    );
    print((await stream.next()).done, await stream.return(undefined), await stream.next());
  },
  'a method that is taken from its object': async (newClient, print) => {
    const { generateContent } = newClient().models;
    print((await generateContent({ model: 'm', contents: 'Hm?' })).text);
  },
};
