import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { ResolvedOptions } from '../../options.js';
import { type Encoding, preferredEncoding } from '../accepted-encoding.js';
import { PAGE_POLICY } from '../security-headers.js';

/** Served when the dashboard is not built. */
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

/** The encodings that the build stores next to a file, with the suffix of their file names. */
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;

interface Variant {
  content: Buffer;
  /** Different for each encoding: a cache that checks one must not get 304 for another. */
  etag: string;
  /** Absent for the original content. */
  encoding?: Encoding;
}

interface StaticFile {
  variants: Variant[];
  type: string;
  cacheControl: string;
}

/**
 * The dashboard's built files, in memory. Only listed files are served, so no path leads elsewhere. The build has compressed them, so
 * neither the start nor a request waits for compression.
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

  /** Sends the file, and returns whether it exists. `path` begins with a slash. */
  sendFile(path: string, reply: FastifyReply): boolean {
    const file = this.files.get(path);
    if (!file) return false;
    const available = file.variants.flatMap(({ encoding }) => encoding ?? []);
    const preferred = preferredEncoding(reply.request.headers['accept-encoding'], available);
    const variant = file.variants.find(({ encoding }) => encoding === preferred);
    if (!variant) return false;
    // A browser adds the headers of a 304 to its stored answer, so they must include the policy.
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

  /** Sends the page, which shows the view of its address. */
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
    // File names under /assets contain a hash of their content.
    cacheControl: path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
}

function computeEtag(content: Buffer): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`;
}
