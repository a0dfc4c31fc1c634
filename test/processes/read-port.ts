import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Reads the port from the output of a program that preloads `print-port.cjs`. */
export async function readPort(output: Readable): Promise<string> {
  for await (const line of createInterface(output)) {
    const [, port] = /^listening on port (\d+)$/.exec(line) ?? [];
    if (port !== undefined) return port;
  }
  throw new Error('It ended before it listened');
}
