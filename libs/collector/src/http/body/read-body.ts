import { LIMITS } from '@dacapo/protocol';
import { BadRequestException, PayloadTooLargeException, UnsupportedMediaTypeException } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { Readable, type Transform } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import type { Reservation } from '../../memory/memory-budget.js';
import { Slots } from '../../memory/slots.js';
import { MAIN_THREAD, type Turns } from '../../memory/turns.js';
import { findCaller } from '../access/caller.decorator.js';
import { requireReservation } from './request-memory.interceptor.js';

/** What a byte of a body takes in all while it is handled: as it came, as text, as values, and on its way to the store. */
const MEMORY_PER_BYTE = 4;
/** Decompressed at a time, as many as Node has threads for it; the others wait in their compressed form. */
const decoders = new Slots(4);
/** Bodies thrown away at a time. */
const discards = new Slots(16);
/** Bytes put together, or made text of, in one go; other requests have their turn in between. */
const BYTES_IN_A_TURN = 256 * 1024;
const CHUNK_BYTES = 64 * 1024;

const received = new WeakMap<FastifyRequest, number>();

/** How many bytes of a request's body came, as they were sent. */
export function countReceivedBytes(request: FastifyRequest): number {
  return received.get(request) ?? 0;
}

/** Reads a request's body as text: see {@link readChunks}. */
export async function readBody(request: FastifyRequest): Promise<string> {
  return decodeText(await readChunks(request), requestTurns(request));
}

/** The main thread's turns of the account that asks. */
export function requestTurns(request: FastifyRequest): Pick<Turns, 'next'> {
  return MAIN_THREAD.of(findCaller(request)?.accountId ?? '');
}

/**
 * Reads a request's body, decompressed. It is called after the guard: a body that no one may send is not read. Not a byte
 * is kept that the request's reservation does not hold.
 *
 * @throws PayloadTooLargeException when it has more than `LIMITS.bodyBytes` bytes, before or after decompression, or needs more
 *   memory than any request gets
 * @throws BusyException when there is no memory for it at the moment
 * @throws UnsupportedMediaTypeException when `Content-Encoding` is none of identity, gzip and br
 * @throws BadRequestException when it does not decompress, or ends early
 */
export async function readChunks(request: FastifyRequest): Promise<Buffer[]> {
  const { raw, headers } = request;
  const reservation = requireReservation(request);
  const decoder = decoderFor(headers['content-encoding']);
  try {
    const announced = Number(headers['content-length'] ?? 0);
    if (announced > LIMITS.bodyBytes) throw tooLarge();
    // All at once: bodies that each get a part and wait for the rest would keep each other from ending.
    let held = announced;
    const perByte = decoder ? 1 : MEMORY_PER_BYTE;
    reservation.grow(held * perByte);
    const body = await collect(raw, (bytes) => {
      received.set(request, bytes);
      if (bytes > held) reservation.grow((bytes - held) * perByte);
      held = Math.max(held, bytes);
    });
    return decoder ? await decode(body, decoder, reservation) : body;
  } finally {
    discard(raw);
  }
}

/** What is left of a body that was refused is read and thrown away: a client may look at the answer only after it has sent all. */
function discard(raw: IncomingMessage): void {
  if (raw.readableEnded || raw.destroyed) return;
  // Marks the body as taken: Node would read it at once after the answer, hundreds of them in one go.
  raw.read(0);
  void discards.run(
    () =>
      new Promise<void>((resolve) => {
        if (raw.readableEnded || raw.destroyed) resolve();
        else raw.once('end', resolve).once('close', resolve).resume();
      }),
  );
}

function decoderFor(encoding: string | undefined): (() => Transform) | undefined {
  switch (encoding?.trim().toLowerCase() ?? 'identity') {
    case 'identity':
    case '':
      return undefined;
    case 'gzip':
      return () => createGunzip({ chunkSize: CHUNK_BYTES });
    case 'br':
      return () => createBrotliDecompress({ chunkSize: CHUNK_BYTES });
    default:
      throw new UnsupportedMediaTypeException('Content-Encoding must be identity, gzip or br');
  }
}

function decode(
  body: readonly Buffer[],
  createDecoder: () => Transform,
  reservation: Reservation,
): Promise<Buffer[]> {
  return decoders.run(async () => {
    const decoder = createDecoder();
    try {
      let held = 0;
      const source = Readable.from(inChunks(body), { objectMode: false }).pipe(decoder);
      return await collect(source, (bytes) => {
        reservation.grow((bytes - held) * MEMORY_PER_BYTE);
        held = bytes;
      });
    } finally {
      decoder.destroy();
    }
  });
}

function* inChunks(body: readonly Buffer[]): Generator<Buffer> {
  for (const part of body) {
    for (let start = 0; start < part.length; start += CHUNK_BYTES) {
      yield part.subarray(start, start + CHUNK_BYTES);
    }
  }
}

/** @param admit called with the number of bytes before they are kept; may throw */
function collect(source: Readable, admit: (bytes: number) => void): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const take = (chunk: Buffer): void => {
      bytes += chunk.length;
      try {
        if (bytes > LIMITS.bodyBytes) throw tooLarge();
        admit(bytes);
        chunks.push(chunk);
      } catch (error) {
        source.off('data', take);
        chunks.length = 0;
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    source.on('data', take);
    source.once('end', () => {
      resolve(chunks);
    });
    source.once('error', (error) => {
      reject(new BadRequestException(`The body cannot be read: ${error.message}`));
    });
    source.once('close', () => {
      reject(new BadRequestException('The body ended early'));
    });
  });
}

async function decodeText(chunks: readonly Buffer[], turns: Pick<Turns, 'next'>): Promise<string> {
  const decoder = new StringDecoder('utf8');
  const texts: string[] = [];
  let bytes = BYTES_IN_A_TURN;
  for (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > BYTES_IN_A_TURN) {
      bytes = chunk.length;
      await turns.next();
    }
    texts.push(decoder.write(chunk));
  }
  return texts.join('') + decoder.end();
}

function tooLarge(): PayloadTooLargeException {
  return new PayloadTooLargeException(`The body has more than ${LIMITS.bodyBytes} bytes`);
}
