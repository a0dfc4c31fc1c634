import { CollectorModule, type CollectorOptions } from '@dacapo/collector';
import { type Role, type Scope, SCOPES, type SpanRecord } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import type { NestApplicationOptions, Type } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import request from 'supertest';
import { AccountService } from '../../src/accounts/account-service.js';
import { ApiKeyService } from '../../src/accounts/api-key-service.js';
import { BrowserSessions } from '../../src/accounts/browser-sessions.js';
import { FASTIFY_OPTIONS } from '../../src/http/fastify-options.js';
import { spansToNdjson } from './records.js';
import { temporaryDirectory } from './temporary-directory.js';

const NEST_OPTIONS: Readonly<NestApplicationOptions> = { bodyParser: false, logger: false };

export interface Tenant {
  accountId: string;
  apiKey: string;
  get(path: string): request.Test;
  /** @param body a text is JSON already */
  post(path: string, body?: object | string): request.Test;
  delete(path: string): request.Test;
  /** Sends an NDJSON body. */
  ingest(body: string, headers?: Record<string, string>): request.Test;
  /** Sends spans and expects them to be taken. */
  store(...spans: SpanRecord[]): Promise<void>;
}

/** A member's browser. */
export interface SignedInMember extends Pick<Tenant, 'get' | 'post' | 'delete'> {
  id: string;
  /** Signs in again. */
  code: string;
  headers: { cookie: string; origin: string };
}

export interface Route {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
}

/** The service on a free port with an empty database, without an account, until the test file ends. */
export class Service {
  /** What services store with that are given no other storage. */
  static storage: CollectorOptions['storage'];

  private constructor(
    readonly app: NestFastifyApplication,
    readonly url: string,
    /** Every route that the server really has. */
    readonly routes: Route[],
  ) {}

  /** @param beside modules of the same application */
  static async start(options: CollectorOptions = {}, ...beside: Type[]): Promise<Service> {
    const collector = CollectorModule.forRoot({
      dataDir: temporaryDirectory(),
      logger: SILENT,
      ...(Service.storage && { storage: Service.storage }),
      ...options,
    });
    const module = await Test.createTestingModule({ imports: [...beside, collector] }).compile();
    const adapter = new FastifyAdapter(FASTIFY_OPTIONS);
    const routes: Route[] = [];
    adapter.getInstance().addHook('onRoute', ({ method, url }) => {
      for (const one of [method].flat()) routes.push({ method: one as Route['method'], path: url });
    });
    const app = module.createNestApplication<NestFastifyApplication>(adapter, NEST_OPTIONS);
    await app.listen(0, '127.0.0.1');
    return new Service(app, await app.getUrl(), routes);
  }

  /** A caller without credentials. */
  get anonymous(): ReturnType<typeof request> {
    return request(this.url);
  }

  async addTenant(): Promise<Tenant> {
    const { id } = await this.app.get(AccountService).create('a tenant');
    return this.withKey(id, ...SCOPES);
  }

  /** The account, as a new key of it with these scopes sees it. */
  async withKey(accountId: string, ...scopes: Scope[]): Promise<Tenant> {
    const { api_key: apiKey } = await this.app
      .get(ApiKeyService)
      .create(accountId, { name: 'a key', scopes });
    return createTenant(this.url, accountId, apiKey);
  }

  signInToken(accountId: string): Promise<string> {
    return this.app.get(BrowserSessions).issueSignInToken(accountId);
  }

  /** Signs a browser in by a key; its cookie, as it sends it. */
  async signIn(apiKey: string, userAgent = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0'): Promise<string> {
    const answer = await this.anonymous
      .post(API.browserSessions.signIn.path)
      .set('user-agent', userAgent)
      .send({ api_key: apiKey })
      .expect(204);
    return readCookie(answer);
  }

  /** Signs a browser in by a one-time link. */
  async signInByLink(accountId: string): Promise<string> {
    return readCookie(await this.anonymous.get(`/sign-in?token=${await this.signInToken(accountId)}`));
  }

  /** Invites a member, who joins with this browser. */
  async addMember({ post }: Tenant, name: string, role: Role): Promise<SignedInMember> {
    const { body: invited } = await post(API.members.invite.path, { name, role }).expect(201);
    return this.join(invited.link);
  }

  /** Signs a browser in by the link of a member. */
  async join(link: string): Promise<SignedInMember> {
    const token = new URL(link).hash.slice(1);
    const answer = await this.anonymous.post(API.members.join.path).send({ token }).expect(200);
    const headers = { cookie: readCookie(answer), origin: this.url };
    const ask = (method: 'get' | 'post' | 'delete', path: string): request.Test =>
      request(this.url)[method](path).set(headers);
    return {
      id: answer.body.member.id,
      code: answer.body.sign_in_code,
      headers,
      get: (path) => ask('get', path),
      post: (path, body) => ask('post', path).send(body),
      delete: (path) => ask('delete', path),
    };
  }

  async close(): Promise<void> {
    await this.app.close();
  }
}

/**
 * Runs a service for all tests of a file.
 *
 * @param use gets it with an account, before the first test or before each one
 */
export function runService(
  use: (service: Service, tenant: Tenant) => void,
  accountFor: 'file' | 'each test' = 'file',
): void {
  let service: Service;
  const addAccount = async (): Promise<void> => {
    use(service, await service.addTenant());
  };
  beforeAll(async () => {
    service = await Service.start();
    if (accountFor === 'file') await addAccount();
  });
  if (accountFor === 'each test') beforeEach(addAccount);
  afterAll(() => service.close());
}

function readCookie(answer: request.Response): string {
  return answer.get('set-cookie')?.[0]?.split(';')[0] ?? '';
}

export function createTenant(url: string, accountId: string, apiKey: string): Tenant {
  const ingest = (body: string, headers: Record<string, string> = {}): request.Test =>
    request(url)
      .post(API.ingest.send.path)
      .set({ 'api-key': apiKey, 'content-type': 'application/x-ndjson', ...headers })
      .send(body);
  return {
    accountId,
    apiKey,
    get: (path) => request(url).get(path).set('api-key', apiKey),
    post: (path, body) => {
      const post = request(url).post(path).set('api-key', apiKey);
      return (typeof body === 'string' ? post.type('json') : post).send(body);
    },
    delete: (path) => request(url).delete(path).set('api-key', apiKey),
    ingest,
    store: async (...spans) => {
      const { body } = await ingest(spansToNdjson(spans)).expect(200);
      expect(body).toEqual({ accepted: spans.length, rejected: [] });
    },
  };
}

export const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };
