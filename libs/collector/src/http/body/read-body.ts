import { LIMITS } from '@dacapo/protocol';
import { BadRequestException, PayloadTooLargeException, UnsupportedMediaTypeException } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';

/**
 * Reads a request's body as text, decompressed. It is called after the guard: a body that no one may send is not read.
 *
 * @throws PayloadTooLargeException when it has more than `LIMITS.bodyBytes` bytes, before or after decompression
 * @throws UnsupportedMediaTypeException when `Content-Encoding` is none of identity, gzip and br
 * @throws BadRequestException when it does not decompress, or ends early
 */
export async function readBody({ raw, headers }: FastifyRequest): Promise<string> {
  if (Number(headers['content-length'] ?? 0) > LIMITS.bodyBytes) throw tooLarge();
  const decoder = decoderFor(headers['content-encoding']);
  try {
    const body = await collect(decoder ? decode(raw, decoder) : raw);
    return body.toString('utf8');
  } finally {
    if (decoder) {
      raw.unpipe(decoder);
      decoder.destroy();
    }
    raw.resume();
  }
}

function decoderFor(encoding: string | undefined): Transform | undefined {
  switch (encoding?.trim().toLowerCase() ?? 'identity') {
    case 'identity':
    case '':
      return undefined;
    case 'gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    default:
      throw new UnsupportedMediaTypeException('Content-Encoding must be identity, gzip or br');
  }
}

function decode(raw: IncomingMessage, decoder: Transform): Transform {
  raw.once('error', (error) => decoder.destroy(error));
  return raw.pipe(decoder);
}

function collect(source: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const take = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes <= LIMITS.bodyBytes) {
        chunks.push(chunk);
        return;
      }
      source.off('data', take);
      reject(tooLarge());
    };
    source.on('data', take);
    source.once('end', () => {
      resolve(Buffer.concat(chunks));
    });
    source.once('error', (error) => {
      reject(new BadRequestException(`The body cannot be read: ${error.message}`));
    });
    source.once('close', () => {
      reject(new BadRequestException('The body ended early'));
    });
  });
}

function tooLarge(): PayloadTooLargeException {
  return new PayloadTooLargeException(`The body has more than ${LIMITS.bodyBytes} bytes`);
}
