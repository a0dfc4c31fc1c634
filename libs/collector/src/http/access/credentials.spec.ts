import { readApiKey, isSameOrigin } from './credentials.js';
import { readSessionCookie } from './session-cookie.js';

describe('apiKeyOf', () => {
  it('prefers API-Key over a bearer token', () => {
    expect(readApiKey({ 'api-key': 'a', authorization: 'Bearer b' })).toBe('a');
    expect(readApiKey({ 'api-key': '', authorization: 'bearer  b ' })).toBe('b');
  });

  it.each([
    {},
    { 'api-key': ' ' },
    { authorization: 'Basic x' },
    { authorization: 'Bearer' },
    { authorization: 'Bearer a b' },
  ])('finds none in %j', (headers) => {
    expect(readApiKey(headers)).toBeUndefined();
  });
});

describe('isSameOrigin', () => {
  const publicUrl = 'https://dacapo.example.com';

  it.each([
    ['https://dacapo.example.com', '127.0.0.1:4100', true],
    ['http://127.0.0.1:4100', '127.0.0.1:4100', true],
    ['http://127.0.0.1:4101', '127.0.0.1:4100', false],
    ['https://dacapo.example.com.evil.example', '127.0.0.1:4100', false],
    ['null', '127.0.0.1:4100', false],
    [undefined, '127.0.0.1:4100', false],
  ])('origin %s asking %s: %s', (origin, host, expected) => {
    expect(isSameOrigin({ host, ...(origin !== undefined && { origin }) }, publicUrl)).toBe(expected);
  });
});

describe('sessionCookieOf', () => {
  const url = 'http://127.0.0.1:4100';

  it('finds the session among other cookies', () => {
    expect(readSessionCookie({ cookie: 'a=b; dacapo_session_4100=Secret1; c' }, url)).toBe('Secret1');
    expect(readSessionCookie({ cookie: '__Host-dacapo_session=Secret2' }, 'https://dacapo.example.com')).toBe(
      'Secret2',
    );
  });

  it.each([
    undefined,
    '',
    'other=1',
    'dacapo_session_4100=',
    'dacapo_session_4100=a"',
    'xdacapo_session_4100=a',
    'dacapo_session_4101=a',
    'dacapo_session=a',
    '__Host-dacapo_session_4100=a',
  ])('finds none in %j', (cookie) => {
    expect(readSessionCookie(cookie === undefined ? {} : { cookie }, url)).toBeUndefined();
  });
});
