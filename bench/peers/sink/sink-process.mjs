/** The service for all SDKs: `healthy`, `failing` (500), `hanging` or `refusing`, set by the parent process. */
import { createServer } from 'node:http';
import { answerTo } from './answers.mjs';
import { Markers, decodeText } from './markers.mjs';

const [firstBehaviour, counting] = process.argv.slice(2);
const markers = new Markers();
let behaviour = firstBehaviour;
let port = 0;

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('error', () => undefined);
  request.on('end', () => {
    if (behaviour === 'hanging') return;
    if (behaviour === 'failing') {
      response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":"failing"}');
      return;
    }
    const text = () => decodeText(Buffer.concat(chunks), request.headers['content-encoding']);
    if (counting === 'counting') markers.add(text());
    const answer = answerTo(request.url.split('?')[0], text, `http://127.0.0.1:${port}`);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
});

const listen = () => new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));

async function become(next) {
  if (next === 'refusing') {
    server.close();
    server.closeAllConnections();
  } else if (behaviour === 'refusing') await listen();
  behaviour = next;
}

process.on('message', async (message) => {
  if (message.become) await become(message.become);
  process.send({ delivered: markers.delivered });
});
process.on('disconnect', () => process.exit(0));

await listen();
port = server.address().port;
process.send({ url: `http://127.0.0.1:${port}` });
