import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { ResolvedOptions } from '../../options.js';
import { type Encoding, preferredEncoding } from '../accepted-encoding.js';
import { PAGE_POLICY } from '../security-headers.js';

/** Shown when the dashboard was not built. */
const UNBUILT_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Dacapo</title>
  </head>
  <body>
    <h1>Dacapo is running</h1>
    <p>Its dashboard is not built in this checkout. Build it, then start the collector again:</p>
    <pre>npm run build</pre>
    <p>The service itself is complete: <a href="/health/ready">/health/ready</a>.</p>
  </body>
</html>
`;

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
};

/** The compressed forms that the build stores next to a file, by the suffix of their names. */
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;

interface Variant {
  content: Buffer;
  /** One for each form: a cache that checks one must not get 304 for the other. */
  etag: string;
  /** Absent: as it is. */
  encoding?: Encoding;
}

interface StaticFile {
  variants: Variant[];
  type: string;
  cacheControl: string;
}

/**
 * The dashboard's built files, in memory: what is served is what was listed, so that no path leads elsewhere. Compressed
 * forms were made by the build, so that neither the start nor a request waits for them.
 */
@Injectable()
export class DashboardFiles {
  private readonly files: Map<string, StaticFile>;

  constructor({ dashboardDir }: ResolvedOptions) {
    this.files = new Map(existsSync(dashboardDir) ? readFiles(dashboardDir) : []);
    if (!this.files.has('/index.html')) {
      this.files.set('/index.html', toStaticFile('/index.html', Buffer.from(UNBUILT_PAGE)));
    }
  }

  /** Whether there was such a file. `path` begins with a slash. */
  sendFile(path: string, reply: FastifyReply): boolean {
    const file = this.files.get(path);
    if (!file) return false;
    const available = file.variants.flatMap(({ encoding }) => encoding ?? []);
    const preferred = preferredEncoding(reply.request.headers['accept-encoding'], available);
    const variant = file.variants.find(({ encoding }) => encoding === preferred);
    if (!variant) return false;
    // A browser takes the headers of a 304 over into what it kept: the policy has to be there too.
    void reply.headers({
      etag: variant.etag,
      'cache-control': file.cacheControl,
      'content-security-policy': PAGE_POLICY,
      ...(file.variants.length > 1 && { vary: 'accept-encoding' }),
    });
    if (reply.request.headers['if-none-match'] === variant.etag) {
      void reply.status(304).send();
      return true;
    }
    if (variant.encoding !== undefined) void reply.header('content-encoding', variant.encoding);
    void reply.type(file.type).send(variant.content);
    return true;
  }

  /** The page, which shows what the address names. */
  sendPage(reply: FastifyReply): void {
    this.sendFile('/index.html', reply);
  }
}

function readFiles(directory: string): [string, StaticFile][] {
  const contents = new Map(
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const absolute = join(entry.parentPath, entry.name);
        return [`/${relative(directory, absolute).split(sep).join('/')}`, readFileSync(absolute)];
      }),
  );
  return Array.from(contents)
    .filter(([path]) => !isCompressedForm(path, contents))
    .map(([path, content]) => {
      const compressed = ENCODINGS.flatMap(({ name, suffix }): Variant[] => {
        const form = contents.get(path + suffix);
        return form ? [{ content: form, etag: computeEtag(form), encoding: name }] : [];
      });
      return [path, toStaticFile(path, content, compressed)];
    });
}

function isCompressedForm(path: string, all: ReadonlyMap<string, Buffer>): boolean {
  return ENCODINGS.some(({ suffix }) => path.endsWith(suffix) && all.has(path.slice(0, -suffix.length)));
}

function toStaticFile(path: string, content: Buffer, compressed: Variant[] = []): StaticFile {
  return {
    variants: [...compressed, { content, etag: computeEtag(content) }],
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    // The build names the files under /assets by their content.
    cacheControl: path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
}

function computeEtag(content: Buffer): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`;
}
