import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.js';
import { countsTokens, type NameStrength, normalizeName } from './secret-names.js';

const SHORTEST = 6;
/** Shorter session ids are names that people chose. */
const SHORTEST_SESSION = 16;
const SHORTEST_WITHOUT_DIGIT = 24;
/** Names of values with a user and a password: as text, in base64, or behind a scheme as in a header. */
const CREDENTIALS = new Set(['auth', 'basicauth', 'httpauth']);
const USER_AND_PASSWORD = /^(?=[^:]*[A-Za-z])[^\s:/@{}()]{1,256}:[^\s:/{}()][^\s:{}()]{0,512}$/;
const ENCODED_CREDENTIALS = /^(?:[A-Za-z][\w-]{1,31} )?(?=\S*\d)(?=\S*[a-z])(?=\S*[A-Z])[\w+/.=-]{16,}$/;
/** `userSessionId`, `x-session-id`; `JSESSIONID` is a cookie. */
const SESSION = /^s(?:ess|id)|(?<!^j)sessionid/;
const DIGITS_ONLY = new Set(['otp', 'pin', 'pincode', 'mfacode', 'cvc', 'cvv', 'cvv2']);
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const ISO_TIME = /^\d{4}-\d\d-\d\d(?:[T ][\d:.]+(?:Z|[+-][\d:]+)?)?$/;

/** Whether the text of a weak name looks like a secret: one word with letters and digits, or with many letters of both cases. */
function looksSecret(text: string, name = ''): boolean {
  const plain = normalizeName(name);
  if (DIGITS_ONLY.has(plain)) return /^\s*\d[\d -]{2,11}$/.test(text);
  if (CREDENTIALS.has(plain)) return USER_AND_PASSWORD.test(text) || ENCODED_CREDENTIALS.test(text);
  if (/\s/.test(text) || ISO_TIME.test(text)) return false;
  const isSession = SESSION.test(plain);
  if (text.length < (isSession ? SHORTEST_SESSION : SHORTEST)) return false;
  // The trace records this id as its session id anyway, and a replay needs it.
  if (isSession && UUID.test(text) && !plain.includes('key')) return false;
  if (/[A-Za-z]/.test(text) && /\d/.test(text)) return true;
  return text.length >= SHORTEST_WITHOUT_DIGIT && /[a-z]/.test(text) && /[A-Z]/.test(text);
}

function isCredentials(name: string): boolean {
  return CREDENTIALS.has(normalizeName(name));
}

/** Two texts, the second with more than letters: `['jwt', 'basic']` lists two authentication methods. */
function areUserAndPassword(list: readonly JsonValue[]): boolean {
  const [user, password] = list;
  return (
    list.length === 2 &&
    typeof user === 'string' &&
    typeof password === 'string' &&
    /[^A-Za-z]/.test(password)
  );
}

/** Parts of a JSON Web Key that only its owner has. */
const PRIVATE_PARTS = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']);

/** Whether a member of an object is a private part of a JSON Web Key, which is recognized by `kty`. */
export function isPrivatePart(object: JsonObject, name: string): boolean {
  return PRIVATE_PARTS.has(name) && typeof object['kty'] === 'string';
}

/** Whether a member of an object holds the values of a Kubernetes Secret. */
export function isSecretData(object: JsonObject, name: string): boolean {
  return (name === 'data' || name === 'stringData') && object['kind'] === 'Secret' && 'apiVersion' in object;
}

/** Whether a member of an object holds the credentials of a Redis login; errors of Redis clients contain the command. */
export function isLogin(object: JsonObject, name: string): boolean {
  return name === 'args' && object['name'] === 'auth' && Array.isArray(object['args']);
}

/** Whether a value is a secret because of its name. Flags, missing values, schemas and token counts are not. */
export function isSecretValue(strength: NameStrength, name: string, value: JsonValue): boolean {
  if (value === null || typeof value === 'boolean' || value === '') return false;
  if (typeof value === 'number') {
    if (strength === 'strong') return !countsTokens(name);
    return DIGITS_ONLY.has(normalizeName(name));
  }
  if (typeof value === 'string') return strength === 'strong' || looksSecret(value, name);
  if (Array.isArray(value) && isCredentials(name)) return areUserAndPassword(value);
  return strength === 'strong' || /secrets?$/i.test(name) ? !isSchema(value) && holdsText(value) : false;
}

const SCHEMA_WORDS = ['$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', 'properties', 'items'] as const;

/** A JSON Schema of a tool or a form: `{ api_key: { type: 'string' } }` contains no key. */
function isSchema(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const { type } = value;
  return (
    (typeof type === 'string' && SCHEMA_TYPES.has(type)) ||
    (Array.isArray(type) && type.every((one) => typeof one === 'string' && SCHEMA_TYPES.has(one))) ||
    SCHEMA_WORDS.some((word) => Object.hasOwn(value, word))
  );
}

const SCHEMA_TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

/** False for empty objects and objects of flags. */
function holdsText(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(holdsText);
  if (isJsonObject(value)) return Object.values(value).some(holdsText);
  return typeof value === 'string' ? value !== '' : typeof value === 'number';
}

/** The name in `{ name, value }`, as HAR files, forms and SDKs write headers; `undefined` if the object is not such a pair. */
export function readNamedPair(object: JsonObject): { name: string; valueKey: string } | undefined {
  const valueKey = VALUE_KEYS.find((key) => Object.hasOwn(object, key));
  const nameKey = valueKey && NAME_KEYS.find((key) => typeof object[key] === 'string');
  return nameKey && { name: object[nameKey] as string, valueKey };
}

export const NAME_KEYS = ['name', 'key', 'header', 'Name', 'Key'] as const;
export const VALUE_KEYS = ['value', 'Value'] as const;

const SHORTEST_HEADERS = 4;
const LONGEST_HEADERS = 512;
const HEADER_NAME = /^[A-Za-z][\w-]{0,63}$/;
/** A list without a name is a list of headers if it contains one of these. */
const COMMON_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'authorization',
  'cache-control',
  'connection',
  'content-length',
  'content-type',
  'cookie',
  'date',
  'host',
  'server',
  'set-cookie',
  'transfer-encoding',
  'user-agent',
  'vary',
]);
/** Whether a list alternates header names and values, like `rawHeaders` in Node. */
export function isHeaderList(list: readonly unknown[]): list is string[] {
  if (list.length < SHORTEST_HEADERS || list.length > LONGEST_HEADERS || list.length % 2 === 1) return false;
  let isKnown = false;
  for (const [i, item] of list.entries()) {
    if (typeof item !== 'string') return false;
    if (i % 2 === 1) continue;
    if (!HEADER_NAME.test(item)) return false;
    isKnown ||= COMMON_HEADERS.has(item.toLowerCase());
  }
  return isKnown;
}
