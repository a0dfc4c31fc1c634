import { LIMITS } from '@dacapo/protocol';
import { BadRequestException, PayloadTooLargeException, UnsupportedMediaTypeException } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { Readable, type Transform } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import * as zlib from 'node:zlib';
import type { Reservation } from '../../memory/memory-budget.js';
import { Slots } from '../../memory/slots.js';
import { MAIN_THREAD, type Turns } from '../../memory/turns.js';
import { findCaller } from '../access/caller.decorator.js';
import { requireReservation } from './request-memory.interceptor.js';

/** Memory per byte of a body in all its forms: received bytes, text, parsed values, and values on their way to the store. */
const MEMORY_PER_BYTE = 4;
/** Decompresses as many bodies at once as Node has threads for it. The others wait in their compressed form. */
const decoders = new Slots(4);
/** Limits how many refused bodies are discarded at once. */
const discards = new Slots(16);
/** Bytes decoded in one turn. Other requests are served in between. */
const BYTES_IN_A_TURN = 256 * 1024;
const CHUNK_BYTES = 64 * 1024;

const received = new WeakMap<FastifyRequest, number>();

/** The number of received body bytes, before decompression. */
export function countReceivedBytes(request: FastifyRequest): number {
  return received.get(request) ?? 0;
}

/** Reads a request's body as text: see {@link readChunks}. */
export async function readBody(request: FastifyRequest): Promise<string> {
  return decodeText(await readChunks(request), requestTurns(request));
}

/** The main thread's turns for the account of the request. */
export function requestTurns(request: FastifyRequest): Pick<Turns, 'next'> {
  return MAIN_THREAD.of(findCaller(request)?.accountId ?? '');
}

/**
 * Reads and decompresses a request's body. It runs after the guard, so the body of a refused caller is never read. Every byte that is
 * kept is reserved first.
 *
 * @throws PayloadTooLargeException when it has more than `LIMITS.bodyBytes` bytes, before or after decompression, or needs more
 *   memory than one request may have
 * @throws BusyException when there is no free memory for it now
 * @throws UnsupportedMediaTypeException when `Content-Encoding` is none of identity, gzip, br and, where Node has it, zstd
 * @throws BadRequestException when it does not decompress, or ends early
 */
export async function readChunks(request: FastifyRequest): Promise<Buffer[]> {
  const { raw, headers } = request;
  const reservation = requireReservation(request);
  const decoder = decoderFor(headers['content-encoding']);
  try {
    const announced = Number(headers['content-length'] ?? 0);
    if (announced > LIMITS.bodyBytes) throw tooLarge();
    // Reserves everything at once. Bodies that hold a part and wait for the rest would block each other.
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

/** Reads and discards the rest of a refused body, because a client may read the answer only after it has sent everything. */
function discard(raw: IncomingMessage): void {
  if (raw.readableEnded || raw.destroyed) return;
  // Marks the body as consumed. Otherwise Node reads it right after the answer, possibly hundreds of bodies at once.
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
      return () => zlib.createGunzip({ chunkSize: CHUNK_BYTES });
    case 'br':
      return () => zlib.createBrotliDecompress({ chunkSize: CHUNK_BYTES });
    case 'zstd':
      if (createZstdDecompress === undefined) throw unknownEncoding();
      return () => createZstdDecompress({ chunkSize: CHUNK_BYTES });
    default:
      throw unknownEncoding();
  }
}

/** Available from Node 22.15. */
const { createZstdDecompress } = zlib as { createZstdDecompress?: (options: zlib.ZlibOptions) => Transform };

function unknownEncoding(): UnsupportedMediaTypeException {
  const zstd = createZstdDecompress === undefined ? '' : ', zstd';
  return new UnsupportedMediaTypeException(`Content-Encoding must be identity, gzip${zstd} or br`);
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
