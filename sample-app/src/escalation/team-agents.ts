import { Agent } from '@openai/agents';
import { noteSchema } from './handover.js';

const TEAMS = [
  { name: 'Billing team', handoffDescription: 'Invoices, payments, refunds, charged twice, subscriptions' },
  { name: 'Technical team', handoffDescription: 'Lamps, firmware, SDK, CLI, API, webhooks, outages' },
  {
    name: 'Customer care',
    handoffDescription: 'Orders, returns, warranty, accounts, deleting data, anything else',
  },
];

/** The agent that receives escalated tickets and hands them to a team. */
export function createDeskAgent() {
  return Agent.create({
    name: 'Escalation desk',
    instructions: 'Hand the ticket to the team that can answer it.',
    handoffs: TEAMS.map(
      (team) =>
        new Agent({
          ...team,
          instructions: 'Tell a colleague of your team in one sentence what the customer needs.',
          outputType: noteSchema,
        }),
    ),
  });
}
