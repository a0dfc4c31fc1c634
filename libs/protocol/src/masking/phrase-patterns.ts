import { HINTS } from './hint-kinds.js';
import { type SecretPattern, second } from './patterns.js';

/** Masks the second group only if it contains a digit, so that texts without digits can be skipped quickly. */
const secondWithDigit: SecretPattern['replace'] = (mask, match, groups) =>
  /\d/.test(groups[1] ?? '') ? second(mask, match, groups) : match;

/** Letters and digits, but not a path or a version such as `v2` or `128k`. */
const IS_MIXED = /^(?=.*\d)(?=.*[a-z])(?!.*[/\\]|v?\d+(?:\.\d+)*[a-z]?$)/i;

/** Secrets that are recognized by the phrase before them or by their own form. Every match contains a digit. */
export const PHRASE_PATTERNS: readonly SecretPattern[] = [
  {
    finds: 'passwords in SQL',
    example: "CREATE USER ann IDENTIFIED BY '«hunter2»'",
    needs: ['IDENTIFIED', 'fied by', 'fied with', 'PASSWORD', 'Password', 'password'],
    expression:
      /(\b(?:IDENTIFIED\s{1,8}(?:WITH\s{1,8}["\w]{1,64}\s{1,8})?(?:BY|AS)\s{1,8}(?:PASSWORD\s{1,8})?|PASSWORD\s{0,8}[=(]?\s{0,8})N?')([^\s'\\]{1,512})(')/gi,
    replace: secondWithDigit,
  },
  {
    finds: 'entries of `.netrc`',
    example: 'machine api.example.com login ann password «hunter2»',
    needs: ['password'],
    expression:
      /(\b(?:machine\s{1,8}\S{1,256}|default)\s{1,64}login\s{1,8}\S{1,256}\s{1,64}(?:account\s{1,8}\S{1,256}\s{1,64})?password\s{1,8})(\S{1,512})/g,
    replace: secondWithDigit,
  },
  {
    finds: 'lines that log in: FTP, IMAP, SMTP, Redis',
    example: 'AUTH «hunter2»',
    needs: ['PASS ', 'AUTH ', 'LOGIN ', 'quirepass '],
    expression:
      /(^(?:PASS|AUTH(?: PLAIN| \S{1,64})?|\w{1,8} LOGIN \S{1,256}|requirepass) )((?=\S*[a-z])[^\s[]{6,512})(?=[ \t]{0,8}\r?$)/gm,
    replace: secondWithDigit,
  },
  {
    finds: 'passwords and keys in a sentence',
    example: 'My password is «hunter2».',
    needs: ['pass', 'Pass', 'PASS', 'key is', 'ken is'],
    expression:
      /(\b(?:password|passwd|passcode|passphrase|(?:api|access|secret|private)[ _-]?key|(?:access|auth|bearer|api)[ _-]?token) {1,4}(?:is|was|->|=>) {0,4}:? {0,4}["'`*]{0,3})([^\s"'`*,;<>()[\]]{5,512}[^\s"'`*,;<>()[\].!?:])/gi,
    replace: (mask, match, groups) => (IS_MIXED.test(groups[1] ?? '') ? second(mask, match, groups) : match),
  },
  {
    finds: 'PINs in a sentence',
    example: 'The PIN is «4821».',
    needs: ['pin is', 'PIN is', 'Pin is'],
    expression: /(\b(?:pin|PIN|Pin) is )(\d{4,8})(?![\w-]|\s{1,4}\w{1,32}s\b)/g,
    replace: second,
  },
  {
    finds: 'short options of `mysql`, `sshpass`, `redis-cli`, `docker login`',
    example: 'mysql -uroot -p«hunter2» shop',
    needs: ['-p', '-cli'],
    expression:
      /(\b(?:(?:mysql|mariadb)[\w-]{0,8}\s(?:[^\n|;&]{0,256}\s)?-p|sshpass\s{1,4}-p\s{0,4}|redis-cli\s(?:[^\n|;&]{0,256}\s)?-a\s{1,4}|(?:docker|podman|helm)\s(?:[\w-]{1,32}\s)?login\s(?:[^\n|;&]{0,256}\s)?-p\s{1,4})["']?)([^\s"'`|;&]{1,256})/g,
    replace: secondWithDigit,
  },
  {
    finds: 'hashes of passwords: bcrypt, crypt, Argon2',
    example: '$2b$10$«N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy»',
    needs: ['$2a$', '$2b$', '$2x$', '$2y$', '$2$', '$1$', '$5$', '$6$', '$y$', '$apr1$', '$argon2'],
    expression:
      /(\$(?:2[abxy]?\$\d\d|argon2\w{0,2}|(?=(?:1|5|6|y|apr1)\$[\w./=$]{1,48}\$[\w./]{22})(?:1|5|6|y|apr1))\$)([\w./=$,+]{20,512})/g,
    replace: second,
  },
  {
    finds: 'secrets of Azure applications',
    example: '«abc8Q~abcdefghijklmnopqrstuvwxyz0123456789»',
    needs: ['Q~'],
    expression: /(?<![\w.~-])[\w.~-]{3}\dQ~[\w.~-]{30,40}/g,
  },
  {
    finds: 'refresh tokens of Google',
    example: '«1//0gABCDEFGHIJKLMNOPQRSTUVWXYZ-abc»',
    needs: ['//0'],
    expression: /(?<![\w/:.-])1\/\/0[\w-]{20,512}/g,
  },
  {
    finds: 'keys of Mailchimp and Mailgun',
    example: '«9f86d081884c7d659a2feaa0c55ad015-us12»',
    needs: ['-'],
    expression: /(?<![\w-])[0-9a-f]{32}-(?:us\d{1,2}|[0-9a-f]{8}-[0-9a-f]{8})(?![\w-])/g,
  },
  {
    finds: 'private keys of PuTTY',
    example: 'Private-Lines: 1\n«AAABAQCzQ9abcdefgh»\nPrivate-MAC: 00',
    needs: ['Private-Lines:'],
    hint: HINTS.block,
    expression:
      /(\bPrivate-Lines: \d{1,4}\r?\n)([A-Za-z0-9+/=]{1,128}(?:\r?\n[A-Za-z0-9+/=]{1,128}(?=\r?\n)){0,512})/g,
    replace: second,
  },
];
