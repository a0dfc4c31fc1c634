import { bold, cut, dim } from './style.mjs';
import { table } from './table.mjs';
import { traceTree } from './trace-tree.mjs';

const MESSAGE_WIDTH = 50;

export function ticketsText(results) {
  const rows = results.map(({ request: { customer, message }, ticket }) => [
    ticket?.id ?? '-',
    customer,
    cut(message, MESSAGE_WIDTH),
    ticket?.category ?? '-',
    ticket?.priority ?? '-',
    ticket === undefined ? 'failed' : [ticket.status, ...ticket.reasons].join(': '),
  ]);
  const failures = results.filter(({ failure }) => failure);
  return [
    section(`${results.length} tickets`),
    table([['ID', 'CUSTOMER', 'MESSAGE', 'CATEGORY', 'PRIORITY', 'STATUS'], ...rows]),
    ...failures.slice(0, 1).map(({ failure }) => failure.text),
  ].join('\n');
}

export function traceText({ ticket, request }, trace) {
  return [
    section(`How ${ticket.id} came to its answer`),
    `  ${dim(request.message)}`,
    '',
    traceTree(trace),
    '',
    ticket.answer.replace(/^/gm, '  '),
  ].join('\n');
}

export function indexesText(indexes) {
  return [
    section(`${indexes.length} indexes to look things up in`),
    table([
      ['INDEX ID', 'TYPE', 'NAME'],
      ...indexes.map(({ index_id, type, name }) => [index_id, type, name]),
    ]),
  ].join('\n');
}

export function replayText({ passed, failures, scores, totals, items: calls }) {
  const { items, same, changed, unknown, error } = totals;
  const rows = calls
    .filter(({ verdict }) => verdict !== 'same')
    .map(({ input, originalOutput, result, error: message }) => [
      cut(String(input[0]), MESSAGE_WIDTH),
      describe(originalOutput),
      message ?? describe(result),
    ]);
  const unknowns = unknown > 0 ? `, ${unknown} that cannot be compared` : '';
  return [
    section(
      `classify-ticket played again through ClassifierV2Service: ${passed ? 'it passed' : 'it failed'}`,
    ),
    ...(passed
      ? ['  It keeps what sample-app/gate.json asks for, so CI would let it in.']
      : [
          '  CI would not let it in, by sample-app/gate.json:',
          ...failures.map((failure) => `  - ${failure}`),
        ]),
    ...Object.entries(scores).map(([name, { now, before }]) => `  ${scoreText(name, now, before)}`),
    `  ${items} calls: ${same} same, ${changed} changed${unknowns}, ${error} ${error === 1 ? 'error' : 'errors'}`,
    ...(rows.length === 0 ? [] : ['', table([['MESSAGE', 'RECORDED', 'NOW'], ...rows])]),
  ].join('\n');
}

function scoreText(name, now, before) {
  if (now === null) return `The ${name} was judged of none: people labelled other messages.`;
  const change = { '-1': `down from ${percent(before)}`, 0: 'as before', 1: `up from ${percent(before)}` };
  const compared = before === null ? '' : `, ${change[Math.sign(Math.round((now - before) * 1e6))]}`;
  return `The ${name} is as people gave it in ${percent(now)} of the calls${compared}.`;
}

function percent(share) {
  return `${Math.round(share * 100)} %`;
}

export function addressesText({ collector, app, testRunUrl, traceId, isStandIn, isEnding }) {
  const lines = [
    ['Dashboard', collector.dashboardUrl, 'signs you in, once'],
    ['Trace', `${collector.url}/traces/${traceId}`],
    ['Test run', testRunUrl],
    ['API keys', `${collector.url}/api-keys`, 'makes a key for an application of your own'],
    ['Support desk', app.url, 'POST /tickets, GET /tickets/:id, GET /indexes, POST /replays'],
    ['Model', `${app.model.name} at ${app.model.baseUrl}`, ...(isStandIn ? [STAND_IN] : [])],
  ];
  return [
    section(isEnding ? 'Where it was (it ends now: leave out --once to open these)' : 'Open'),
    ...lines.flatMap(([name, address, note]) => [
      `  ${name.padEnd(14)}${address}`,
      ...(note ? [dim(`  ${''.padEnd(14)}${note}`)] : []),
    ]),
  ].join('\n');
}

const STAND_IN = 'a stand-in that answers by rules: set OPENAI_API_KEY to ask a real model';

function describe(output) {
  return output === undefined ? '-' : Object.values(output).join(', ');
}

function section(title) {
  return `\n${bold(title)}`;
}
