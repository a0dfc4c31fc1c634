import { resolveConnection } from './connection.js';

describe('The connection to the service', () => {
  it('prefers options to the environment, and the environment to the default', () => {
    const env = { TRACER_SERVICE_URL: 'http://env:1', TRACER_API_KEY: 'from-env' };
    expect(resolveConnection({ url: 'http://option:2/', apiKey: 'option' }, env)).toEqual({
      url: 'http://option:2',
      apiKey: 'option',
    });
    expect(resolveConnection({}, env)).toEqual({ url: 'http://env:1', apiKey: 'from-env' });
    expect(resolveConnection({}, { TRACER_API_KEY: 'k' }).url).toBe('http://127.0.0.1:4100');
  });

  it('requires a key that is not blank', () => {
    expect(() => resolveConnection({}, { TRACER_API_KEY: ' ' })).toThrow(
      expect.objectContaining({ code: 'CLI_API_KEY_MISSING' }),
    );
  });

  it('refuses an address that is not http', () => {
    expect(() => resolveConnection({ url: 'localhost:4100', apiKey: 'k' }, {})).toThrow(
      '"localhost:4100" is not the address of a service: it must look like http://127.0.0.1:4100.',
    );
  });
});
