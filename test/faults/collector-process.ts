import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HEADERS, type Page, type RecordedCall, type TraceFunctionKeySummary } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import { Program } from '../processes/program.js';
import type { Stored } from './oracle.js';

interface Ready {
  readonly url: string;
  readonly apiKey?: string;
}

/** Runs the built `dacapo serve`, with the same database on each start. */
export class CollectorProcess {
  private readonly dataDir = mkdtempSync(join(tmpdir(), 'dacapo-faults-data-'));
  private program: Program | undefined;
  private url = '';
  apiKey = '';

  static async start(): Promise<CollectorProcess> {
    const collector = new CollectorProcess();
    await collector.up();
    return collector;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  async up(): Promise<void> {
    const args = ['serve', '--json', '--port', '0', '--data-dir', this.dataDir];
    const [program, { url, apiKey }] = await Program.start<Ready>('libs/cli/bin/dacapo.cjs', args);
    this.program = program;
    this.url = url;
    this.apiKey = apiKey ?? this.apiKey;
  }

  async kill(): Promise<void> {
    await this.program?.stop('SIGKILL');
  }

  async remove(): Promise<void> {
    await this.program?.stop();
    rmSync(this.dataDir, { recursive: true, force: true, maxRetries: 10 });
  }

  /** All calls with the key, from the API. */
  async calls(traceFunctionKey = 'answer'): Promise<RecordedCall[]> {
    const calls: RecordedCall[] = [];
    let cursor: string | undefined;
    do {
      const search = {
        trace_function_key: traceFunctionKey,
        limit: 200,
        ...(cursor !== undefined && { cursor }),
      };
      const page = await this.ask<Page<RecordedCall>>(API.calls.search.path, search);
      calls.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    return calls;
  }

  /** Stored spans for the oracle. Here each span is a separate trace. */
  async stored(): Promise<Stored> {
    const stored = new Map<string, number>();
    for (const { span_id } of await this.calls()) stored.set(span_id, (stored.get(span_id) ?? 0) + 1);
    const { items } = await this.ask<Page<TraceFunctionKeySummary>>(API.traces.listKeys.path);
    const [{ span_count } = { span_count: 0 }] = items;
    return { stored, conflicts: span_count === stored.size ? [] : [`the key counts ${span_count} spans`] };
  }

  private async ask<T>(path: string, body?: object): Promise<T> {
    const response = await fetch(this.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { [HEADERS.apiKey]: this.apiKey, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect(response.status).toBe(200);
    return (await response.json()) as T;
  }
}
