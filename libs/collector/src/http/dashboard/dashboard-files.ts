import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { ResolvedOptions } from '../../options.js';
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

interface StaticFile {
  content: Buffer;
  type: string;
  etag: string;
  cacheControl: string;
}

/** The dashboard's built files, in memory: what is served is what was listed, so that no path leads elsewhere. */
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
    // A browser takes the headers of a 304 over into what it kept: the policy has to be there too.
    void reply.headers({
      etag: file.etag,
      'cache-control': file.cacheControl,
      'content-security-policy': PAGE_POLICY,
    });
    if (reply.request.headers['if-none-match'] === file.etag) void reply.status(304).send();
    else void reply.type(file.type).send(file.content);
    return true;
  }

  /** The page that shows whatever the address stands for. */
  sendPage(reply: FastifyReply): void {
    this.sendFile('/index.html', reply);
  }
}

function readFiles(directory: string): [string, StaticFile][] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const absolute = join(entry.parentPath, entry.name);
      const path = `/${relative(directory, absolute).split(sep).join('/')}`;
      return [path, toStaticFile(path, readFileSync(absolute))];
    });
}

function toStaticFile(path: string, content: Buffer): StaticFile {
  return {
    content,
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`,
    // The build names the files under /assets by their content.
    cacheControl: path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
}
