import { type StandInModel, startStandInModel } from './start-stand-in-model.js';

describe('the stand-in model server', () => {
  let standIn: StandInModel;
  const post = (body: string | object) =>
    fetch(`${standIn.baseUrl}/chat/completions`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const messages = [{ role: 'user', content: 'Is anyone there?' }];

  beforeAll(async () => {
    standIn = await startStandInModel({ port: 0 });
  });
  afterAll(() => standIn.close());

  it('returns a chat completion with the stand-in as its model', async () => {
    const response = await post({ model: 'gpt-4o-mini', messages });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-model')).toBe('stand-in');
    expect(await response.json()).toMatchObject({
      object: 'chat.completion',
      model: 'stand-in',
      choices: [{ message: { role: 'assistant', content: expect.any(String) }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 4, completion_tokens: 15, total_tokens: 19 },
    });
  });

  it('streams the same answer word by word', async () => {
    const whole = JSON.parse(await (await post({ model: 'stand-in', messages })).text());
    const response = await post({
      model: 'stand-in',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const events = (await response.text())
      .trim()
      .split('\n\n')
      .map((line) => line.replace('data: ', ''));
    expect(events.pop()).toBe('[DONE]');
    const chunks = events.map((event) => JSON.parse(event));
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(
      whole.choices[0].message.content,
    );
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
  });

  it('lists its only model', async () => {
    const response = await fetch(`${standIn.baseUrl}/models`);
    expect(await response.json()).toMatchObject({ data: [{ id: 'stand-in' }] });
  });

  it.each([
    ['{', 400, 'The body is not JSON.'],
    [{ model: 'stand-in' }, 400, "Invalid 'messages': Invalid input: expected array, received undefined"],
    [
      { model: 'stand-in', messages: [] },
      400,
      "Invalid 'messages': Too small: expected array to have >=1 items",
    ],
  ])('rejects %j', async (body, status, message) => {
    const response = await post(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', message } });
  });

  it('responds with 404 to other routes', async () => {
    expect((await fetch(`${standIn.baseUrl}/images`)).status).toBe(404);
  });
});
