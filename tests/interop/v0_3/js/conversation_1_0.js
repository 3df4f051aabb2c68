// The JavaScript A2A client of protocol version 1.0 holds the due-diligence
// conversation, so that it can be on the port on which 0.3 is spoken.
//
// In: the base URL of a running agent. Out: a line per step, at the end a line
// `N passed, M failed`; the exit status is 1 when anything failed.
//
// It runs where the SDK of 1.0 is installed, with `harness.js` beside it. Every
// scenario runs on each binding of the card. Scenarios share nothing, so a
// failure ends only its own.

import { randomUUID } from 'node:crypto';

import {
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import {
  ClientFactory,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';

import { Report, ensure, equal, guarded, inOrder, refusedWith } from './harness.js';

const FACTORIES = {
  JSONRPC: JsonRpcTransportFactory,
  'HTTP+JSON': RestTransportFactory,
  GRPC: GrpcTransportFactory,
};
const BINDINGS = Object.keys(FACTORIES);
const VERSION = '1.0';
const ARTIFACT = 'due-diligence-report';
const SKILL = 'supplier-due-diligence';
const UNKNOWN_TASK = 'no-such-task';
const REQUEST = '请尽调星河科技';
const ANSWER = '地区：中国';
const REPORT = '供应商：星河科技\n注册地区：中国\n教学结论：未发现高风险项';

const textOf = (parts) => parts.map((part) => part.text ?? '').join('\n');
const stateOf = (task) => task.status.state.replace('TASK_STATE_', '');

// What one message led to: the answer, or the events of a stream, folded.
class Turn {
  trail = [];
  task = undefined;

  // An event as the protocol's JSON has it: one member that names its kind.
  add(event) {
    const [[kind, value]] = Object.entries(event);
    if (kind === 'task') {
      this.task = value;
      this.trail.push(stateOf(value));
      return;
    }
    ensure(this.task, `the first event is ${kind}, not the task`);
    equal('task id of an update', value.taskId, this.task.id);
    equal('context id of an update', value.contextId, this.task.contextId);
    if (kind === 'statusUpdate') {
      this.task.status = value.status;
      this.trail.push(stateOf(value));
    } else if (kind === 'artifactUpdate') {
      ensure(!value.append, 'a report comes in one piece');
      (this.task.artifacts ??= []).push(value.artifact);
      this.trail.push(`artifact ${value.artifact.name}`);
    } else {
      throw new Error(`an event of kind ${kind}: ${JSON.stringify(value)}`);
    }
  }

  get state() {
    return stateOf(this.task);
  }
}

// A client that is bound to one binding. It takes and hands out the protocol's
// JSON; the SDK's own objects hold its members in another form.
class Session {
  constructor(report, client, card, streaming) {
    this.step = report.step;
    this.client = client;
    this.card = card;
    this.streaming = streaming;
  }

  static async open(report, baseUrl, binding, streaming) {
    const transports = [new FACTORIES[binding]()];
    const client = await new ClientFactory({ transports }).createFromUrl(baseUrl);
    equal('binding of the client', client.transport.protocolName, binding);
    equal('version of the client', client.protocolVersion, VERSION);
    return new Session(report, client, await client.getAgentCard(), streaming);
  }

  async *events(message) {
    const request = SendMessageRequest.fromJSON({ message, configuration: {} });
    for await (const event of this.client.sendMessageStream(request)) {
      yield StreamResponse.toJSON(event);
    }
  }

  // Sends and takes all that comes back, until the agent is done.
  async send(message) {
    const turn = new Turn();
    if (this.streaming) {
      for await (const event of this.events(message)) turn.add(event);
      ensure(turn.trail.length > 0, 'the stream holds no event');
    } else {
      turn.add({ task: await this.sendOnce(message) });
    }
    return turn;
  }

  // The answer is a task: an agent that answers by a message has no `status`.
  async sendOnce(message, configuration = {}) {
    const request = SendMessageRequest.fromJSON({ message, configuration });
    const answer = await this.client.sendMessage(request);
    ensure(answer.status, `the answer is no task: ${JSON.stringify(answer)}`);
    return Task.toJSON(answer);
  }

  // Starts a task that works until canceled, without waiting for it.
  async startSlow() {
    const task = await this.sendOnce(userMessage('slow'), { returnImmediately: true });
    ensure(['SUBMITTED', 'WORKING'].includes(stateOf(task)), `state is ${stateOf(task)}`);
    return task;
  }

  async get(id, members) {
    return Task.toJSON(await this.client.getTask(GetTaskRequest.fromJSON({ id, ...members })));
  }

  async cancel(id) {
    return Task.toJSON(await this.client.cancelTask(CancelTaskRequest.fromJSON({ id })));
  }

  list(members) {
    return this.client.listTasks(ListTasksRequest.fromJSON(members));
  }

  async *subscribe(id) {
    const request = SubscribeToTaskRequest.fromJSON({ id });
    for await (const event of this.client.resubscribeTask(request)) {
      yield StreamResponse.toJSON(event);
    }
  }
}

function userMessage(text, members) {
  return { role: 'ROLE_USER', messageId: randomUUID(), parts: [{ text }], ...members };
}

function checkReport(task) {
  equal(
    'artifacts',
    (task.artifacts ?? []).map(({ name, parts }) => [name, textOf(parts)]),
    [[ARTIFACT, REPORT]],
  );
}

async function conversation(session) {
  const { step } = session;
  const task = await step(`${REQUEST} asks for the region`, async () => {
    const turn = await session.send(userMessage(REQUEST));
    ensure(turn.task.id && turn.task.contextId, 'the task lacks an id');
    equal('state', turn.state, 'INPUT_REQUIRED');
    equal('role of the question', turn.task.status.message.role, 'ROLE_AGENT');
    const question = textOf(turn.task.status.message.parts);
    ensure(question.includes('地区'), `the question is ${question}`);
    equal('artifacts before the report', turn.task.artifacts ?? [], []);
    return turn.task;
  });
  const { id, contextId } = task;
  await step(`${ANSWER} leads to the report`, async () => {
    const turn = await session.send(userMessage(ANSWER, { taskId: id, contextId }));
    equal('ids', [turn.task.id, turn.task.contextId], [id, contextId]);
    equal('state', turn.state, 'COMPLETED');
    if (session.streaming) {
      inOrder(turn.trail, ['WORKING', `artifact ${ARTIFACT}`, 'COMPLETED']);
      equal("the stream's last word", turn.trail.at(-1), 'COMPLETED');
    }
    checkReport(turn.task);
  });
  await step('GetTask shows the same', async () => {
    const stored = await session.get(id);
    equal('ids', [stored.id, stored.contextId], [id, contextId]);
    equal('state', stateOf(stored), 'COMPLETED');
    ensure(!Number.isNaN(Date.parse(stored.status.timestamp)), 'the status has no timestamp');
    checkReport(stored);
    const said = stored.history.filter(({ role }) => role === 'ROLE_USER');
    equal('what the user said', said.map(({ parts }) => textOf(parts)), [REQUEST, ANSWER]);
    const short = await session.get(id, { historyLength: 1 });
    equal('messages with historyLength 1', short.history, [stored.history.at(-1)]);
  });
}

async function list(session) {
  const { step } = session;
  const [first, second] = await step('two tasks of one context', async () => {
    const one = (await session.send(userMessage(REQUEST))).task;
    const { contextId } = one;
    const other = (await session.send(userMessage(REQUEST, { contextId }))).task;
    equal('context id', other.contextId, contextId);
    ensure(other.id !== one.id, `both tasks are ${one.id}`);
    return [one, other];
  });
  const { contextId } = first;
  await step('ListTasks gives them page by page, newest first', async () => {
    const page = await session.list({ contextId, pageSize: 1 });
    equal('first page', page.tasks.map(({ id }) => id), [second.id]);
    equal('total size', page.totalSize, 2);
    ensure(page.nextPageToken, 'no token for the second page');
    const next = await session.list({ contextId, pageSize: 1, pageToken: page.nextPageToken });
    equal('second page', next.tasks.map(({ id }) => id), [first.id]);
    equal('token after the last page', next.nextPageToken, '');
  });
  await step('ListTasks by state, with artifacts', async () => {
    const waiting = await session.list({ contextId, status: 'TASK_STATE_INPUT_REQUIRED' });
    equal('waiting tasks', waiting.tasks.length, 2);
    await session.send(userMessage(ANSWER, { taskId: first.id }));
    const done = { contextId, status: 'TASK_STATE_COMPLETED' };
    const bare = await session.list(done);
    equal('completed tasks', bare.tasks.map(({ id }) => id), [first.id]);
    equal('artifacts unless asked for', bare.tasks[0].artifacts, []);
    const whole = await session.list({ ...done, includeArtifacts: true });
    checkReport(Task.toJSON(whole.tasks[0]));
  });
}

async function awkwardText(session) {
  await session.step('awkward characters come back as they were sent', async () => {
    const note = 'é 😀 a\u2028b\u2029c\u0085d \\ " / \t';
    const metadata = { note, list: [1, null, { k: 1.5 }] };
    const message = userMessage(REQUEST, { metadata });
    const turn = await session.send(message);
    const stored = await session.get(turn.task.id);
    for (const [place, task] of Object.entries({ answer: turn.task, GetTask: stored })) {
      const back = task.history?.find(({ messageId }) => messageId === message.messageId);
      ensure(back, `${place}: the message is not in the history`);
      equal(`${place}: metadata`, back.metadata, metadata);
    }
  });
}

async function otherEnds(session) {
  for (const [text, state] of Object.entries({ reject: 'REJECTED', fail: 'FAILED' })) {
    await session.step(`${text} ends in ${state}`, async () => {
      const turn = await session.send(userMessage(text));
      equal('state', turn.state, state);
      equal('state by GetTask', stateOf(await session.get(turn.task.id)), state);
    });
  }
}

async function cancel(session) {
  const { step } = session;
  const task = await step('slow returns immediately', () => session.startSlow());
  await step('CancelTask ends it', async () => {
    const canceled = await session.cancel(task.id);
    equal('task id', canceled.id, task.id);
    equal('state', stateOf(canceled), 'CANCELED');
    equal('state by GetTask', stateOf(await session.get(task.id)), 'CANCELED');
  });
  await step('CancelTask once more changes nothing', async () => {
    equal('state', stateOf(await session.cancel(task.id)), 'CANCELED');
  });
  await step('a task that waits for the user can be canceled', async () => {
    const asked = await session.send(userMessage(REQUEST));
    equal('state', stateOf(await session.cancel(asked.task.id)), 'CANCELED');
  });
}

async function leaveStream(session) {
  const { step } = session;
  const turn = new Turn();
  await step('the stream of slow reaches WORKING, then the client leaves', async () => {
    for await (const event of session.events(userMessage('slow'))) {
      turn.add(event);
      if (turn.state === 'WORKING') break;
    }
    equal('state', turn.state, 'WORKING');
  });
  await step('the task works on', async () => {
    equal('state', stateOf(await session.get(turn.task.id)), 'WORKING');
  });
  await step('CancelTask ends it', async () => {
    equal('state', stateOf(await session.cancel(turn.task.id)), 'CANCELED');
  });
}

async function subscribe(session) {
  const { step } = session;
  const task = await step('slow returns immediately', () => session.startSlow());
  await step('SubscribeToTask opens with the task and ends with its cancel', async () => {
    const turn = new Turn();
    for await (const event of session.subscribe(task.id)) {
      turn.add(event);
      if (turn.trail.length > 1) continue;
      equal('task id', turn.task.id, task.id);
      await session.cancel(task.id);
    }
    ensure(turn.trail.length > 1, 'no event after the first');
    equal("the stream's last word", turn.trail.at(-1), 'CANCELED');
  });
}

async function refusals(session) {
  const { step, streaming } = session;
  const closed = await step('a rejected task is there', async () => {
    const turn = await session.send(userMessage('reject'));
    equal('state', turn.state, 'REJECTED');
    return turn.task.id;
  });
  const said = (taskId) => () => session.send(userMessage(ANSWER, { taskId }));
  const config = { taskId: closed, id: 'hook-1', url: 'http://127.0.0.1:9/hook' };
  const calls = [
    ['GetTask of no task', 'TaskNotFoundError', () => session.get(UNKNOWN_TASK)],
    ['CancelTask of no task', 'TaskNotFoundError', () => session.cancel(UNKNOWN_TASK)],
    ['a message to no task', 'TaskNotFoundError', said(UNKNOWN_TASK)],
    ['a message to a closed task', 'UnsupportedOperationError', said(closed)],
    ['CancelTask of a closed task', 'TaskNotCancelableError', () => session.cancel(closed)],
    [
      'a push config',
      'PushNotificationNotSupportedError',
      () =>
        session.client.createTaskPushNotificationConfig(
          TaskPushNotificationConfig.fromJSON(config),
        ),
    ],
  ];
  if (streaming) {
    const subscribed = (id) => () => session.subscribe(id).next();
    calls.push(
      ['a subscription to no task', 'TaskNotFoundError', subscribed(UNKNOWN_TASK)],
      ['a subscription to a closed task', 'UnsupportedOperationError', subscribed(closed)],
    );
  }
  for (const [name, error, call] of calls) {
    await step(`${name} is refused with ${error}`, () => refusedWith(error, call));
  }
}

const EVERYWHERE = [conversation, list, awkwardText, otherEnds, refusals];
const STREAMING_ONLY = [leaveStream, subscribe];
const ONCE = [cancel];

async function play(report, baseUrl, binding, streaming, scenario) {
  const session = await report.step('the card resolves, a client is made from it', () =>
    Session.open(report, baseUrl, binding, streaming),
  );
  await scenario(session);
}

async function checkCard(report, baseUrl) {
  const { card } = await report.step('found at the well-known path', () =>
    Session.open(report, baseUrl, 'JSONRPC', false),
  );
  await report.step('names, skill, capabilities and bindings', async () => {
    ensure(card.name && card.description && card.version, 'empty names');
    equal('skills', card.skills.map(({ id }) => id), [SKILL]);
    equal('streaming', card.capabilities.streaming, true);
    const offered = card.supportedInterfaces
      .filter(({ protocolVersion }) => protocolVersion === VERSION)
      .map(({ protocolBinding }) => protocolBinding);
    equal('bindings in 1.0', new Set(offered), new Set(BINDINGS));
  });
}

async function run(baseUrl) {
  const report = new Report();
  await guarded(report, 'card', () => checkCard(report, baseUrl));
  for (const binding of BINDINGS) {
    for (const streaming of [false, true]) {
      for (const scenario of [...EVERYWHERE, ...(streaming ? STREAMING_ONLY : ONCE)]) {
        const name = `${binding} ${streaming ? 'stream' : 'single'} ${scenario.name}`;
        await guarded(report, name, () => play(report, baseUrl, binding, streaming, scenario));
      }
    }
  }
  return report;
}

if (process.argv.length !== 3) {
  console.error('usage: conversation_1_0.js BASE_URL   (for example http://127.0.0.1:8080)');
  process.exit(2);
}
const { passed, failed } = await run(process.argv[2].replace(/\/$/, ''));
console.log(`${passed} passed, ${failed} failed`);
// Channels of gRPC that are left open would keep the process alive.
process.exit(failed === 0 && passed > 0 ? 0 : 1);
