import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: 4 });

/** Posts a body to the sink and waits for the response. */
export function post(url, body) {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}/api/v1/ingest`,
      {
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/x-ndjson', 'content-length': body.length },
      },
      (answer) => {
        answer.resume();
        answer.on('end', resolve);
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
