import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Capturer } from '../capturer.js';

const ROOT = join(__dirname, '../../../../..');

const TEXTS = [
  'My card payment was declined twice, what is the reason?',
  'I forgot my password: how do I reset it?',
  'Password: I never got the e-mail to change it.',
  'What is the secret: good service or low prices?',
  'The token: a ticket, a coin, or a word?',
  'Session: Tuesday morning, room 4',
  'Please keep this secret = between us',
  'Why did the PIN not work when I tried 3 times at 12:30?',
  'Is there a fee of 1.50 for a top-up of 2,000,000?',
  'Call me at +49 30 1234567 or +1 (415) 555-0132, my number is 0171-2345678.',
  'My order 2026-11-22-000123456789 has not arrived; tracking 1Z999AA10123456784.',
  'The invoice RE-2026-4711 says 4,000.00 EUR, account DE reference 00012345.',
  'Write to grace.hopper@example.com, or ask @grace on the forum.',
  'Natalia sold 48/2 = <<48/2=24>>24 clips in May. She sold 48+24 = <<48+24=72>>72 in all.\n#### 72',
  'x = 5; y = x * 2; total = x + y, so total = 15',
  'Let key = the number of doors, and pass = the number of tickets: key = 3',
  'She said: "the pass is closed", so the session: none today',
  'git commit -m "basic bearer support"; git push -u origin main',
  'docker run -u 1000:1000 -e NODE_ENV=production app:1.2.3',
  'npm install @nestjs/common@12.5.1 && node --max-old-space-size=4096 app.js',
  'GET /api/v1/traces?limit=50&cursor=next HTTP/1.1',
  'https://example.com/docs/tokens?page=2&sort=name#secrets',
  'https://unpkg.com/@scope/name@1.2.3/index.js and http://localhost:3000/@vite/client',
  'at Object.<anonymous> (/app/src/auth/password.service.ts:12:34)',
  "TypeError: Cannot read properties of undefined (reading 'token')",
  'SELECT id, password_hash FROM users WHERE session_id = $1',
  'const { apiKey, secret } = options; if (!apiKey) throw new Error("no key")',
  'apiKey: process.env.OPENAI_API_KEY, authorization: undefined',
  'type Login = { user: string; password: string; remember: boolean }',
  '{"type":"object","properties":{"password":{"type":"string"}},"required":["password"]}',
  '{"max_tokens": 1024, "temperature": 0.7, "token_count": 12}',
  'password:\n  - at least 8 characters\n  - one digit',
  '| name | value |\n| --- | --- |\n| pin | required |',
  'Author: Basic English for beginners, 2nd edition, ISBN 978-3-16-148410-0',
  'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'trace 01890a5d-ac96-774b-bcce-b302099a8057 span 00f067aa0ba902b7',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
  'chatcmpl-9aBcDeFgHiJkLmNoPqRsTuVw call_abcdefghijklmnopqrstuv msg_01XFDUDYJgAACzvnptvVoYEL',
  'The cookie: two cups of flour, one of sugar. Authorization: ask your manager.',
  'Run it with --password to be asked, or --api-key <your key>, or --token "$TOKEN" in CI.',
  'The flags are --secret and --session; --password - reads it from the terminal.',
  'Answer in <secret>one word</secret>, then <token></token>, and <password>…</password> if asked.',
  'grid[password] and row[key]=3 are 12345678:30 apart, says <session>Tuesday</session>',
  'Do you accept American Express, and is 4111 a valid prefix?',
];

describe('an everyday text', () => {
  it.each(TEXTS)('is recorded as it is: %s', (text) => {
    const capturer = new Capturer();
    expect(capturer.capture({ text, messages: [{ role: 'user', content: text }] }).meta).toBeUndefined();
    expect(JSON.parse(capturer.capture(JSON.stringify({ text })).json)).toBe(JSON.stringify({ text }));
  });
});

function readLines(file: string): string[] {
  const lines = readFileSync(join(ROOT, 'test/harmless-texts', file), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as string);
}

/** Paragraphs of the documents, without their code: that shows secrets. */
function paragraphs(): string[] {
  const names = readdirSync(join(ROOT, 'docs')).filter(
    (name) => name.endsWith('.md') && name !== 'redaction.md',
  );
  const texts = names.map((name) => readFileSync(join(ROOT, 'docs', name), 'utf8'));
  return texts.flatMap((text) => text.replace(/^ *```[^]*?^ *```/gm, '').split(/\n\n+/));
}

describe('no text of a corpus of harmless texts', () => {
  const texts = [...readLines('gsm8k.txt'), ...readLines('banking77.txt'), ...paragraphs()];

  it('is masked, whether the search for hints passes it or the rules see it', () => {
    expect(texts.length).toBeGreaterThan(5000);
    for (const capturer of [new Capturer(), new Capturer({ redactPatterns: [/(?!)/] })])
      expect(texts.filter((text) => capturer.capture(text).meta?.redacted !== undefined)).toEqual([]);
  });

  it('is masked in a long text that contains all of them', () => {
    const { meta } = new Capturer({ maxFieldBytes: 4 * 1024 * 1024 }).capture(texts.join('\n'));
    expect(meta).toBeUndefined();
  });
});
