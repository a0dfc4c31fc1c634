import { bold, cut, dim } from './style.mjs';
import { table } from './table.mjs';

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

export function traceText({ ticket, request }, tree) {
  return [
    section(`The trace of ticket ${ticket.id}`),
    `  ${dim(request.message)}`,
    '',
    tree,
    '',
    ticket.answer.replace(/^/gm, '  '),
  ].join('\n');
}

export function indexesText(indexes) {
  return [
    section(`${indexes.length} indexes`),
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
  const unknowns = unknown > 0 ? `, ${unknown} unknown` : '';
  return [
    section(`Replay of classify-ticket through ClassifierV2Service: ${passed ? 'passed' : 'failed'}`),
    ...(passed
      ? ['  It passes the gate in sample-app/gate.json, so CI would accept the change.']
      : [
          '  It fails the gate in sample-app/gate.json, so CI would stop the change:',
          ...failures.map((failure) => `  - ${failure}`),
        ]),
    ...Object.entries(scores).map(([name, { now, before }]) => `  ${describeScore(name, now, before)}`),
    `  ${items} calls: ${same} same, ${changed} changed${unknowns}, ${error} ${error === 1 ? 'error' : 'errors'}`,
    ...(rows.length === 0 ? [] : ['', table([['MESSAGE', 'RECORDED', 'NOW'], ...rows])]),
  ].join('\n');
}

function describeScore(name, now, before) {
  if (now === null) return `No replayed call has a label for its ${name}.`;
  const change = { '-1': `down from ${percent(before)}`, 0: 'unchanged', 1: `up from ${percent(before)}` };
  const compared = before === null ? '' : `, ${change[Math.sign(Math.round((now - before) * 1e6))]}`;
  return `The ${name} matches the label in ${percent(now)} of the calls${compared}.`;
}

function percent(share) {
  return `${Math.round(share * 100)} %`;
}

export function addressesText({ collector, app, testRunUrl, traceId, isStandIn, isEnding }) {
  const lines = [
    ['Dashboard', collector.dashboardUrl, 'signs you in once'],
    ['Trace', `${collector.url}/traces/${traceId}`],
    ['Test run', testRunUrl],
    ['API keys', `${collector.url}/api-keys`, 'creates a key for your application'],
    ['Support desk', app.url, 'POST /tickets, GET /tickets/:id, GET /indexes, POST /replays'],
    ['Model', `${app.model.name} at ${app.model.baseUrl}`, ...(isStandIn ? [STAND_IN] : [])],
  ];
  return [
    section(isEnding ? 'Addresses (stopping now; run without --once to open them)' : 'Open'),
    ...lines.flatMap(([name, address, note]) => [
      `  ${name.padEnd(14)}${address}`,
      ...(note ? [dim(`  ${''.padEnd(14)}${note}`)] : []),
    ]),
  ].join('\n');
}

const STAND_IN = 'a stand-in that answers by rules; set OPENAI_API_KEY to call a real model';

function describe(output) {
  return output === undefined ? '-' : Object.values(output).join(', ');
}

function section(title) {
  return `\n${bold(title)}`;
}
