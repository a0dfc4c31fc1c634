import { loadConfig } from './load-config.js';

describe('the configuration', () => {
  it('uses the stand-in model by default', () => {
    expect(loadConfig({}).model).toEqual({ baseUrl: 'http://127.0.0.1:4101/v1', name: 'stand-in' });
  });

  it('uses OpenAI with a key', () => {
    expect(loadConfig({ OPENAI_API_KEY: 'sk-1' }).model).toEqual({
      baseUrl: 'https://api.openai.com/v1',
      name: 'gpt-4o-mini',
      apiKey: 'sk-1',
    });
  });

  it('uses another compatible API and model, even without a key', () => {
    const { model } = loadConfig({ OPENAI_BASE_URL: 'http://localhost:11434/v1/', OPENAI_MODEL: 'llama3' });
    expect(model).toEqual({ baseUrl: 'http://localhost:11434/v1', name: 'llama3' });
  });

  it('treats a blank variable as unset', () => {
    expect(loadConfig({ OPENAI_API_KEY: ' ', PORT: '', TRACER_API_KEY: '' })).toEqual(loadConfig({}));
  });

  it.each([
    [{ PORT: '80000' }, 'PORT is "80000". Set it to a whole number from 0 to 65535.'],
    [{ HTTP_PLATFORM: 'koa' }, 'HTTP_PLATFORM is "koa". Set it to one of express, fastify.'],
    [
      { OPENAI_BASE_URL: 'model' },
      'OPENAI_BASE_URL is not a URL: "model". Example: https://api.openai.com/v1.',
    ],
  ])('rejects %j and says what to set', (env, message) => {
    expect(() => loadConfig(env)).toThrow(message);
  });
});
