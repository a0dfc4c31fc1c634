import { loadConfig } from './load-config.js';

describe('the configuration', () => {
  it('asks the stand-in on loopback when no provider is named', () => {
    expect(loadConfig({}).model).toEqual({ baseUrl: 'http://127.0.0.1:4101/v1', name: 'stand-in' });
  });

  it('asks OpenAI when there is a key', () => {
    expect(loadConfig({ OPENAI_API_KEY: 'sk-1' }).model).toEqual({
      baseUrl: 'https://api.openai.com/v1',
      name: 'gpt-4o-mini',
      apiKey: 'sk-1',
    });
  });

  it('takes another compatible API and model, key or not', () => {
    const { model } = loadConfig({ OPENAI_BASE_URL: 'http://localhost:11434/v1/', OPENAI_MODEL: 'llama3' });
    expect(model).toEqual({ baseUrl: 'http://localhost:11434/v1', name: 'llama3' });
  });

  it('takes a variable that is set to nothing as not set', () => {
    expect(loadConfig({ OPENAI_API_KEY: ' ', PORT: '', TRACER_API_KEY: '' })).toEqual(loadConfig({}));
  });

  it.each([
    [{ PORT: '80000' }, 'PORT is "80000". It is a whole number from 0 to 65535.'],
    [{ HTTP_PLATFORM: 'koa' }, 'HTTP_PLATFORM is "koa". It is one of express, fastify.'],
    [
      { OPENAI_BASE_URL: 'model' },
      'OPENAI_BASE_URL is no address: "model". Write it like https://api.openai.com/v1.',
    ],
  ])('refuses %j with the cure', (env, message) => {
    expect(() => loadConfig(env)).toThrow(message);
  });
});
