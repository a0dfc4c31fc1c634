/** Behaviour of the service while the application runs at a steady pace or at full speed. */
export const SCENARIOS = [
  { name: 'healthy, full speed', spans: 5000, spansASecond: Infinity },
  { name: '500 for 3 s', spans: 5000, spansASecond: 1000, outage: { behaviour: 'failing', ms: 3000 } },
  { name: 'refused for 5 s', spans: 5000, spansASecond: 1000, outage: { behaviour: 'refusing', ms: 5000 } },
  { name: 'process.exit', spans: 1000, spansASecond: Infinity, exit: true },
];
