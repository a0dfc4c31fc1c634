/** One event in AWS's framing: lengths, headers, a body, and a checksum of each part. */
export function eventFrame(type: string, body: object): Buffer {
  const header = (name: string, value: string): Buffer => {
    const size = Buffer.alloc(2);
    size.writeUInt16BE(Buffer.byteLength(value));
    return Buffer.concat([
      Buffer.from([name.length]),
      Buffer.from(name),
      Buffer.from([7]),
      size,
      Buffer.from(value),
    ]);
  };
  const headers = Buffer.concat([
    header(':event-type', type),
    header(':content-type', 'application/json'),
    header(':message-type', 'event'),
  ]);
  const payload = Buffer.from(JSON.stringify(body));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + headers.length + payload.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  const head = Buffer.concat([prelude, checksum(prelude), headers, payload]);
  return Buffer.concat([head, checksum(head)]);
}

function checksum(bytes: Uint8Array): Buffer {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  const written = Buffer.alloc(4);
  written.writeUInt32BE((crc ^ 0xffffffff) >>> 0);
  return written;
}
