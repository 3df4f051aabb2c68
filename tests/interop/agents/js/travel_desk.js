// The JavaScript A2A client of protocol version 1.0 asks the travel desk for all
// that it can do.
//
// In: the base URL of a running `travel-desk`. Out: a line per step, at the end a
// line `N passed, M failed`; the exit status is 1 when anything failed.
//
// It runs where the SDK of 1.0 is installed, with `harness.js` beside it.

import { randomUUID } from 'node:crypto';

import { SendMessageRequest, Task } from '@a2a-js/sdk';
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';

import { Report, ensure, equal, guarded } from './harness.js';

const FACTORIES = {
  JSONRPC: JsonRpcTransportFactory,
  'HTTP+JSON': RestTransportFactory,
  GRPC: GrpcTransportFactory,
};
const EXTENSION = 'https://example.com/ext/made-up-offers/v1';
const SKILL = 'urn:a2a-kit:skill-schemas:v1/skill';
const SKILLS = ['find-flights', 'settle-expenses', 'describe-city'];
const KNOWN = { 'X-API-Key': 'demo-key', 'A2A-Extensions': EXTENSION };

async function send(client, parts, metadata, serviceParameters = KNOWN) {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts, metadata };
  const request = SendMessageRequest.fromJSON({ message, configuration: {} });
  const answer = await client.sendMessage(request, { serviceParameters });
  ensure(answer.status, `the answer is no task: ${JSON.stringify(answer)}`);
  return Task.toJSON(answer);
}

async function done(client, parts, metadata) {
  const task = await send(client, parts, metadata);
  equal('state', task.status.state, 'TASK_STATE_COMPLETED');
  equal('artifacts', task.artifacts.length, 1);
  return task.artifacts[0].parts;
}

async function refused(call, mark) {
  let answer;
  try {
    answer = await call;
  } catch (error) {
    const told = `${error?.name} ${error?.message} ${error?.cause?.message}`;
    ensure(mark.test(told), `${mark} is not told by ${told}`);
    return;
  }
  throw new Error(`the call succeeded: ${JSON.stringify(answer)}`);
}

async function scenario(report, base, binding) {
  const transports = [new FACTORIES[binding]()];
  const client = await new ClientFactory({ transports }).createFromUrl(base);
  const { step } = report;
  const ids = (card) => card.skills.map((skill) => skill.id);
  await step('the card has the public skills', async () => {
    // The client's own card would be the extended one.
    equal('skills', ids(await new DefaultAgentCardResolver().resolve(base)), SKILLS);
  });
  await step('who shows no key is refused', () =>
    refused(send(client, [{ text: 'Lisbon' }], undefined, {}), /401|UNAUTHENTICATED|credentials/));
  await step('typed data gives typed data', async () => {
    const trip = { from: 'BER', to: 'LIS', travellers: 2 };
    const [part] = await done(client, [{ data: trip }]);
    const flights = part.data.offers.map((offer) => offer.flight);
    equal('flights', flights, ['XX101 BER-LIS', 'XX205 BER-LIS']);
  });
  await step('a file gives a file', async () => {
    const table = 'item,amount\nhotel,120.50\n';
    const raw = Buffer.from(table).toString('base64');
    const file = { raw, mediaType: 'text/csv', filename: 'trip.csv' };
    const [part] = await done(client, [file]);
    equal('name', part.filename, 'settled.csv');
    equal('bytes', Buffer.from(part.raw, 'base64').toString(), `${table}total,120.50\n`);
  });
  await step('text gives text, word by word', async () => {
    const parts = await done(client, [{ text: 'Lisbon' }]);
    const text = parts.map((part) => part.text).join('');
    ensure(text.startsWith('Lisbon is worth a journey'), text);
  });
  await step('a skill of the extended card answers when it is named', async () => {
    const [part] = await done(client, [{ text: 'Lisbon' }], { [SKILL]: 'corporate-rates' });
    ensure(part.text.startsWith('demo stays in Lisbon'), part.text);
  });
  await step('wrong data is refused with its path', () =>
    refused(send(client, [{ data: { from: 'BER' } }]), /message\.parts\[0\]\.data\.to/));
  await step('the extended card has one more skill', async () => {
    const card = await client.getAgentCard({ serviceParameters: KNOWN });
    equal('skills', ids(card), [...SKILLS, 'corporate-rates']);
  });
}

const [base] = process.argv.slice(2);
if (!base) {
  console.error('usage: travel_desk.js BASE-URL');
  process.exit(2);
}
const report = new Report();
for (const binding of Object.keys(FACTORIES)) {
  await guarded(report, `travel desk, ${binding}`, () => scenario(report, base, binding));
}
console.log(`${report.passed} passed, ${report.failed} failed`);
process.exit(report.failed || !report.passed ? 1 : 0);
