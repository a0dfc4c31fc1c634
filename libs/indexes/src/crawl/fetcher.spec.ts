import { brotliCompressSync, gzipSync } from 'node:zlib';
import { Fetcher, type FetcherOptions } from './fetcher.js';
import { DocSite, type Page } from '../../test/doc-site.js';

describe('Fetching', () => {
  let site: DocSite;
  let nowMs: number;
  let waits: number[];
  let open: Fetcher[];

  beforeEach(async () => {
    site = await DocSite.start();
    nowMs = Date.UTC(2026, 0, 1);
    waits = [];
    open = [];
  });
  afterEach(async () => {
    for (const fetcher of open) fetcher.close();
    await site.close();
  });

  const fetcher = (options: Partial<FetcherOptions> = {}): Fetcher => {
    const made = new Fetcher({
      version: '1.2.3',
      allowPrivate: true,
      delayMs: 0,
      signal: new AbortController().signal,
      nowMs: () => nowMs,
      wait: async (ms) => {
        waits.push(ms);
        nowMs += ms;
      },
      ...options,
    });
    open.push(made);
    return made;
  };
  const fetch = (path: string, options?: Partial<FetcherOptions>) =>
    fetcher(options).fetch(new URL(site.url(path)));
  const fetchText = async (path: string) => (await fetch(path)).body.toString();
  const failure = (kind: string, reason: string | RegExp) =>
    expect.objectContaining({
      failure: kind,
      message: typeof reason === 'string' ? reason : expect.stringMatching(reason),
    });

  describe('private addresses', () => {
    const private127 = failure('skipped', '127.0.0.1 is a private address; --allow-private allows it');

    it.each([
      'http://127.0.0.1',
      'http://2130706433',
      'http://0x7f000001',
      'http://0177.0.0.1',
      'http://127.1',
      'http://[::ffff:127.0.0.1]',
    ])('refuses %s', async (host) => {
      site.pages.set('/', 'secret');
      const url = new URL(`${host}:${site.port}/`);
      await expect(fetcher({ allowPrivate: false }).fetch(url)).rejects.toMatchObject({
        failure: 'skipped',
        message: expect.stringContaining('is a private address'),
      });
      expect(site.requested).toEqual([]);
    });

    it('refuses a name that points to one, also among others, before anything is sent', async () => {
      const lookup = async () => [
        { address: '93.184.215.14', family: 4 },
        { address: '127.0.0.1', family: 4 },
      ];
      const url = new URL(`http://docs.example:${site.port}/`);
      await expect(fetcher({ allowPrivate: false, lookup }).fetch(url)).rejects.toEqual(private127);
      expect(site.requested).toEqual([]);
    });

    it('connects to the address that was judged: a name that changes its mind gains nothing', async () => {
      site.pages.set('/', 'page');
      const answers = ['127.0.0.1', '169.254.169.254'];
      const lookup = async () => [{ address: answers.shift() ?? '169.254.169.254', family: 4 }];
      const rebinding = fetcher({ lookup });
      const url = new URL(`http://docs.example:${site.port}/`);
      expect((await rebinding.fetch(url)).body.toString()).toBe('page');
      // Another connection, another answer of the resolver: judged again.
      const other = new URL(`http://docs.example:${site.port + 1}/`);
      await expect(rebinding.fetch(other)).rejects.toEqual(
        failure('skipped', '169.254.169.254 is a reserved address'),
      );
      expect(answers).toEqual([]);
    });

    it('judges again after a redirect, by name and by number', async () => {
      site.pages.set('/metadata', {
        status: 302,
        headers: { location: 'http://169.254.169.254/latest/meta-data/' },
      });
      await expect(fetch('/metadata')).rejects.toEqual(
        failure('skipped', '169.254.169.254 is a reserved address'),
      );
      site.pages.set('/file', { status: 302, headers: { location: 'file:///etc/passwd' } });
      await expect(fetch('/file')).rejects.toEqual(failure('skipped', 'redirects to an invalid address'));
    });

    it('requests no robots.txt there either', async () => {
      await expect(fetch('/', { allowPrivate: false })).rejects.toEqual(private127);
      expect(site.requested).toEqual([]);
    });
  });

  describe('redirects', () => {
    it('are followed, up to five, to the address of the page', async () => {
      for (let at = 0; at < 6; at++)
        site.pages.set(`/${at}`, { status: 301, headers: { location: `${at + 1}` } });
      site.pages.set('/6', 'here');
      expect((await fetch('/1')).url.pathname).toBe('/6');
      await expect(fetch('/0')).rejects.toEqual(failure('skipped', 'redirects more than 5 times'));
    });

    it('are followed only to accepted hosts', async () => {
      site.pages.set('/', { status: 302, headers: { location: `http://localhost:${site.port}/there` } });
      const isTaken = (host: string) => host === site.host;
      await expect(fetcher().fetch(new URL(site.url('/')), { isTaken })).rejects.toEqual(
        failure(
          'skipped',
          `redirects to localhost:${site.port}; --also localhost:${site.port} takes its pages`,
        ),
      );
      expect(site.takeRequested()).toEqual(['/ 302']);
    });
  });

  describe('robots.txt', () => {
    it('is requested once per host, and obeyed after redirects too', async () => {
      site.pages.set('/robots.txt', 'User-agent: dacapo\nDisallow: /private');
      site.pages.set('/a', { status: 302, headers: { location: '/private/b' } });
      site.pages.set('/c', 'open');
      const guest = fetcher();
      await expect(guest.fetch(new URL(site.url('/a')))).rejects.toEqual(
        failure('gone', 'robots.txt disallows it'),
      );
      await guest.fetch(new URL(site.url('/c')));
      expect(site.requested).toEqual(['/robots.txt 200', '/a 302', '/c 200']);
    });

    it.each([401, 403, 404, 410])('allows everything when the answer is %d', async (status) => {
      site.pages.set('/robots.txt', { status });
      site.pages.set('/', 'open');
      expect(await fetchText('/')).toBe('open');
    });

    it.each([429, 500, 503])('allows nothing when the answer stays %d', async (status) => {
      site.pages.set('/robots.txt', { status });
      site.pages.set('/', 'open');
      await expect(fetch('/')).rejects.toEqual(failure('failed', /^robots\.txt: the server answered /));
      expect(site.takeRequested()).toEqual([]);
    });

    it('allows nothing when the connection breaks', async () => {
      site.pages.set('/robots.txt', (request) => request.socket.destroy());
      await expect(fetch('/')).rejects.toEqual(failure('failed', 'robots.txt: ECONNRESET'));
    });

    it('can require more time between requests', async () => {
      site.pages.set('/robots.txt', 'User-agent: *\nCrawl-delay: 3');
      site.pages.set('/', 'page');
      const guest = fetcher({ delayMs: 100 });
      for (let times = 0; times < 3; times++) await guest.fetch(new URL(site.url('/')));
      expect(waits).toEqual([100, 3000, 3000]);
    });
  });

  describe('a busy server', () => {
    const once = (status: number, headers: Record<string, string> = {}) => {
      let isFirst = true;
      site.pages.set('/', (_, response) => {
        response.writeHead(isFirst ? status : 200, isFirst ? headers : {}).end('page');
        isFirst = false;
      });
    };

    it.each([
      ['seconds', '7', 7000],
      ['a date', new Date(Date.UTC(2026, 0, 1, 0, 0, 9)).toUTCString(), 9000],
      ['nothing that can be read', 'soon', 500],
    ])('is asked again after the time that it names: %s', async (_, retryAfter, waitMs) => {
      once(429, { 'retry-after': retryAfter });
      expect(await fetchText('/')).toBe('page');
      expect(waits).toEqual([waitMs]);
    });

    it('is retried up to four times with growing pauses', async () => {
      site.pages.set('/', { status: 503 });
      await expect(fetch('/')).rejects.toEqual(failure('failed', 'the server answered 503'));
      expect(waits).toEqual([500, 1000, 2000]);
    });

    it('is not retried when it asks for more than two minutes', async () => {
      once(503, { 'retry-after': '3600' });
      await expect(fetch('/')).rejects.toEqual(failure('failed', 'the server asks to wait 3600 s'));
    });

    it('is retried when the connection breaks', async () => {
      let times = 0;
      site.pages.set('/', (request, response) =>
        ++times < 3 ? request.socket.destroy() : response.end('page'),
      );
      expect(await fetchText('/')).toBe('page');
    });
  });

  it('tries each page of a host once after three failures in a row, until one succeeds', async () => {
    let tries = 0;
    const breaks: Page = (request) => {
      tries++;
      request.socket.destroy();
    };
    const guest = fetcher();
    const countTries = async (page: Page) => {
      site.pages.set('/', page);
      tries = 0;
      await guest.fetch(new URL(site.url('/'))).catch(() => undefined);
      return tries;
    };
    expect([await countTries(breaks), await countTries(breaks), await countTries(breaks)]).toEqual([4, 4, 4]);
    expect(await countTries(breaks)).toBe(1);
    await countTries('page');
    expect(await countTries(breaks)).toBe(4);
  });

  describe('a body', () => {
    it('is unpacked', async () => {
      site.pages.set('/gzip', { headers: { 'content-encoding': 'gzip' }, body: gzipSync('packed') });
      site.pages.set('/br', { headers: { 'content-encoding': 'br' }, body: brotliCompressSync('packed') });
      expect([await fetchText('/gzip'), await fetchText('/br')]).toEqual(['packed', 'packed']);
    });

    it('has bounds for a page in any number of parts', async () => {
      const bomb = gzipSync(Buffer.alloc(40 * 1024 * 1024));
      site.pages.set('/bomb', { headers: { 'content-encoding': 'gzip' }, body: bomb });
      await expect(fetch('/bomb')).rejects.toEqual(failure('skipped', 'larger than 16 MiB'));
      site.pages.set('/endless', (_, response) => {
        const more = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(64 * 1024)));
          response.once('drain', more);
        };
        more();
      });
      await expect(fetch('/endless')).rejects.toEqual(failure('skipped', 'larger than 16 MiB'));
    });

    it.each([
      ['plain', {}, Buffer.from('half of it')],
      ['gzip', { 'content-encoding': 'gzip' }, gzipSync('half of it').subarray(0, 20)],
    ])('that ends early is no page: %s', async (_, headers, body) => {
      site.pages.set('/', (request, response) => {
        response.writeHead(200, { ...headers, 'content-length': 100 });
        response.write(body, () => request.socket.destroy());
      });
      await expect(fetch('/')).rejects.toMatchObject({ failure: 'failed' });
    });
  });

  it.each([
    [404, 'gone'],
    [410, 'gone'],
    [401, 'skipped'],
    [403, 'skipped'],
    [500, 'failed'],
  ])('tells of a page that answers %d that it is %s', async (status, kind) => {
    site.pages.set('/', { status });
    await expect(fetch('/')).rejects.toEqual(failure(kind, `the server answered ${status}`));
  });

  it('identifies itself, and states the formats it reads best', async () => {
    let headers = {};
    site.pages.set('/', (request, response) => {
      ({ headers } = request);
      response.end();
    });
    await fetch('/');
    expect(headers).toMatchObject({
      'user-agent': expect.stringMatching(/^dacapo\/\d/),
      accept: expect.stringMatching(/^text\/markdown, /),
    });
  });

  it('ends at once when it is stopped, in a request and in a pause', async () => {
    const stop = new AbortController();
    site.pages.set('/', () => {
      stop.abort();
    });
    await expect(fetch('/', { signal: stop.signal })).rejects.toEqual(failure('failed', 'stopped'));
    await expect(fetch('/', { signal: AbortSignal.abort() })).rejects.toEqual(
      failure('failed', 'robots.txt: stopped'),
    );
  });
});
