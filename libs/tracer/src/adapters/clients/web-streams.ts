/** Reads a web stream as an iterator; leaving it cancels the stream. */
export function toIterator(stream: ReadableStream): AsyncIterator<unknown> {
  const reader = stream.getReader();
  return {
    next: () => reader.read() as Promise<IteratorResult<unknown>>,
    return: async (reason: unknown) => {
      await reader.cancel(reason);
      return { done: true, value: undefined };
    },
  };
}

/** Creates a web stream from an iterator, which advances only when the stream is read. */
export function toReadableStream(iterator: AsyncIterator<unknown>): ReadableStream<unknown> {
  return new ReadableStream(
    {
      pull: async (controller) => {
        const step = await iterator.next();
        if (step.done === true) controller.close();
        else controller.enqueue(step.value);
      },
      cancel: async (reason) => {
        await iterator.return?.(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
