/** A service in a separate process: `healthy` counts lines, `hanging` never responds. */
import { createServer } from 'node:http';

const behaviour = process.argv[2] ?? 'healthy';
let lines = 0;

const server = createServer((request, response) => {
  if (request.url === '/count') {
    response.end(String(lines));
    return;
  }
  let inThis = 0;
  request.on('data', (chunk) => {
    for (let i = chunk.indexOf(10); i !== -1; i = chunk.indexOf(10, i + 1)) inThis++;
  });
  request.on('end', () => {
    if (behaviour === 'hanging') return;
    lines += inThis;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"accepted":${inThis},"rejected":[]}`);
  });
});

// An arm that waits for the processor on a busy machine must not meet a closed connection.
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));
process.on('disconnect', () => process.exit(0));
