/** The work of the application, the same in each module system. @returns the facts that the test compares */
export async function work({ Tracer, TracerError }, { OpenAI }, loadEvaluation, env) {
  const tracer = new Tracer({
    apiKey: env.TRACER_API_KEY,
    serviceUrl: env.TRACER_SERVICE_URL,
    delivery: { spool: false },
  });
  const client = tracer.wrapClient(new OpenAI({ apiKey: 'k', baseURL: env.MODEL_URL, maxRetries: 0 }));
  const ask = tracer.withSpan('ask', async (content) => {
    const answer = await client.chat.completions.create({
      model: 'm',
      messages: [{ role: 'user', content }],
    });
    return answer.choices[0].message.content;
  });
  const fail = tracer.withSpan('fail', () => {
    throw new RangeError('out of bounds');
  });
  const outer = tracer.withSpan('outer', async (question) => {
    try {
      fail();
    } catch {
      // Recorded.
    }
    return ask(question);
  });
  const answer = await outer('How are you?');

  let isRecognized = false;
  try {
    tracer.withSpan('', fail);
  } catch (error) {
    isRecognized = error instanceof TracerError && error.code === 'TRACER_INVALID_OPTION';
  }

  const { jsonSchema } = await loadEvaluation();
  const { items } = await tracer.evaluate((text) => text.toUpperCase(), {
    key: 'shout',
    data: [{ args: ['a'] }],
    evaluators: { shape: jsonSchema({ type: 'string', minLength: 1 }) },
  });
  await tracer.shutdown();
  return { answer, isRecognized, scores: items[0].scores };
}
