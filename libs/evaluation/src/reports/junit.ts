import {
  describeItem,
  decisionOf,
  errorOf,
  isIncomplete,
  itemName,
  type ReportItem,
  type RunReport,
  tellRanLive,
  totalsOf,
} from './report.js';

/**
 * A run as JUnit XML, for the pages that CI servers make of it: the gate is a test, and so is each item. Where the
 * gate passed, what it allowed is told and does not fail; without a gate, items that are not `same` fail, and so does a run of which a part is missing.
 */
export function toJUnit(report: RunReport): string {
  const { title = 'run', passed, failures, notes = [], items } = report;
  const isShort = passed === undefined && isIncomplete(report);
  const ranLive = tellRanLive(report);
  const cases = [
    ...(passed === undefined ? [] : [gateCase(report)]),
    ...(isShort ? [incompleteCase(report)] : []),
    ...items.map((item) => itemCase(title, item, passed === true)),
  ];
  const failed =
    (passed === false || isShort ? 1 : 0) + (passed === true ? 0 : items.filter(isFailure).length);
  const errors = passed === true ? 0 : items.filter(({ verdict }) => verdict === 'error').length;
  const seconds = items.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0) / 1000;
  const counts = `tests="${cases.length}" failures="${failed}" errors="${errors}" time="${seconds.toFixed(3)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="dacapo" ${counts}>`,
    `<testsuite name="${xml(title)}" ${counts}>`,
    `<properties><property name="totals" value="${xml(totalsOf(report))}"/></properties>`,
    ...cases,
    `<system-out>${xml([`${decisionOf(report)}.`, ...failures, ...notes.map((note) => `Note: ${note}`), ...(ranLive === undefined ? [] : [`${ranLive}.`])].join('\n'))}</system-out>`,
    '</testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function gateCase({ title = 'run', passed, failures, notes = [] }: RunReport): string {
  const open = `<testcase classname="${xml(title)}" name="gate"`;
  if (passed === true && notes.length === 0) return `${open}/>`;
  if (passed === true) return `${open}><system-out>${xml(notes.join('\n'))}</system-out></testcase>`;
  return `${open}><failure message="${xml(failures[0] ?? '')}">${xml(failures.join('\n'))}</failure></testcase>`;
}

/** Items that are not there fail no test of their own. */
function incompleteCase(report: RunReport): string {
  const { title = 'run', status } = report;
  const message = status === 'interrupted' ? 'The run ended early.' : 'Items are missing from the run.';
  const text = xml(`${message} ${totalsOf(report)}.`);
  return `<testcase classname="${xml(title)}" name="complete"><failure message="${xml(message)}">${text}</failure></testcase>`;
}

function itemCase(title: string, item: ReportItem, isAllowed: boolean): string {
  const { verdict, durationMs = 0 } = item;
  const open = `<testcase classname="${xml(title)}" name="${xml(itemName(item))}" time="${(durationMs / 1000).toFixed(3)}"`;
  if (!isFailure(item) && verdict !== 'error') return `${open}/>`;
  const message = errorOf(item) ?? describeItem(item);
  const details = (item.diff ?? []).map(
    ({ path, before, now }) => `${path}: ${before?.text ?? 'nothing'} → ${now?.text ?? 'nothing'}`,
  );
  const text = xml([describeItem(item), ...details].join('\n'));
  if (isAllowed) return `${open}><system-out>${text}</system-out></testcase>`;
  const element = verdict === 'error' ? 'error' : 'failure';
  return `${open}><${element} message="${xml(message)}">${text}</${element}></testcase>`;
}

function isFailure({ verdict, fixed }: ReportItem): boolean {
  return verdict === 'unknown' || (verdict === 'changed' && fixed !== true);
}

/** Without what XML 1.0 cannot hold, whatever is escaped: https://www.w3.org/TR/xml/#charsets. */
function xml(text: string): string {
  return text
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"'\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}
