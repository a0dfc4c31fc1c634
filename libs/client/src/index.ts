export { type Call, type CallOptions, type Client, createClient, type Transport } from './client.js';
export { readPages } from './read-pages.js';
